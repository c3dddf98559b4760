/* reorder.c -- the orders of lists without what aborted transactions read.
 *
 * The builder takes the order of a list from the longest list that was read,
 * before it knows how the reader ended.  An aborted transaction sees its own
 * elements, which nobody else will ever see, so its lists say nothing about
 * the order; with them, a consistent history would look as if lists had been
 * rewritten.  Where aborted transactions read lists, the orders are therefore
 * made again from the other reads, in the order in which these came.
 *
 * SPDX-License-Identifier: MIT */
#include "history/building.h"

/* 1 for each operation of an aborted transaction. */
static uint8_t *
mark_aborted(const struct history *h)
{
    uint8_t *aborted = mem_calloc(h->n_ops, sizeof *aborted);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_status[t] == TXN_ABORTED)
            for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
                aborted[op] = 1;
    return aborted;
}

/* Give every read a list of its own, and empty the orders. */
static void
take_apart(struct builder *b, const struct history *h)
{
    for (size_t i = 0; i < b->list_reads.n; i++) {
        struct list_read *r = &b->list_reads.at[i];
        if (r->own != ID_NONE)
            continue;
        const key_id k = op_key(h, r->op);
        const u32_vec *order = &b->orders.at[intmap_find(&b->order_of, k)];
        r->own = (uint32_t)b->list_items.n;
        for (size_t j = 0; j < r->length; j++)
            vec_push(&b->list_items, order->at[j]);
    }
    for (size_t i = 0; i < b->orders.n; i++)
        vec_clear(&b->orders.at[i]);
    memset(b->in_order.at, 0, b->in_order.n);
}

/* Make the orders again; lists that are a prefix of theirs need no own copy. */
static void
put_together(struct builder *b, const struct history *h, const uint8_t *aborted,
             bool of_aborted)
{
    for (size_t i = 0; i < b->list_reads.n; i++) {
        struct list_read *r = &b->list_reads.at[i];
        if (aborted[r->op] != of_aborted)
            continue;
        const key_id k = op_key(h, r->op);
        u32_vec *order = &b->orders.at[intmap_find(&b->order_of, k)];
        if (order_explains(b, order, b->list_items.at + r->own, r->length,
                           !of_aborted))
            r->own = ID_NONE;
    }
}

void
lists_reorder(struct builder *b, const struct history *h)
{
    uint8_t *aborted = mark_aborted(h);
    bool any = false;
    for (size_t i = 0; i < b->list_reads.n; i++)
        any = any || aborted[b->list_reads.at[i].op];
    if (any) {
        take_apart(b, h);
        put_together(b, h, aborted, false);
        put_together(b, h, aborted, true);
    }
    mem_free(aborted);
}
