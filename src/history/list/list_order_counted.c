/* list_order_counted.c -- see list_order_counted.h.
 *
 * The builder takes the order of a list from the longest list that was read,
 * before it is known whether the reader counts.  An aborted transaction sees
 * its own elements, which no other transaction ever sees, and one that may have
 * aborted may have seen such elements.  Their lists say nothing about the
 * order; with them, a consistent history would look as if lists had been
 * rewritten.  Where they read lists, the orders are therefore computed again
 * from the reads of the transactions that count, in the order of the
 * operations.
 *
 * Which transactions count does not depend on the orders: a list that was read
 * is the same list whether it is stored as a prefix of the order of its key or
 * by itself.
 *
 * SPDX-License-Identifier: MIT */
#include "history/list/list_order_counted.h"

#include "history/list/list_order.h"

struct reordering {
    struct history *h;
    uint8_t *counts; // by operation: recorded, and its transaction counts
    struct list_orders orders;
    u32_vec items; // of the lists that no order explains
};

/* Store the lists of the transactions that count, which make the orders, or of
 * those that do not, which only use them. */
static void
explain_lists(struct reordering *r, const struct list_seen *seen, bool counting)
{
    struct history *h = r->h;
    for (size_t i = 0; i < h->list_reads.n; i++) {
        struct list_read *read = &h->list_reads.at[i];
        if (r->counts[read->op] != counting)
            continue;
        read->own = ID_NONE;
        if (list_orders_explain(&r->orders, op_key(h, read->op), seen[i].at,
                                seen[i].n, counting))
            continue;
        assert(seen[i].n == read->length);
        capacity_want(CAPACITY_LIST_ITEMS, r->items.n + seen[i].n);
        read->own = (uint32_t)r->items.n;
        for (size_t j = 0; j < seen[i].n; j++)
            vec_push(&r->items, seen[i].at[j]);
    }
}

static void
put_in_place(struct reordering *r)
{
    struct history *h = r->h;
    vec_free(&h->list_items);
    h->list_items = r->items;
    vec_clear(&h->order_items);
    for (key_id k = 0; k < h->n_keys; k++) {
        list_orders_copy(&r->orders, k, &h->order_items);
        h->order_first[k + 1] = (uint32_t)h->order_items.n;
    }
    assert(h->order_first[0] == 0);
}

void
list_order_counted_apply(struct history *h)
{
    if (!h->list_reads.n)
        return;
    struct reordering r = {.h = h};
    r.counts = mem_calloc(h->n_ops, sizeof *r.counts);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (h->txn_counts[t])
            memset(r.counts + h->txn_begin[t], 1,
                   h->txn_end[t] - h->txn_begin[t]);
    bool any = false;
    for (size_t i = 0; i < h->list_reads.n; i++)
        any = any || !r.counts[h->list_reads.at[i].op];
    for (size_t i = 0; i < h->implied.n; i++)
        r.counts[h->implied.at[i].op] = 0; // the whole read says the same
    if (any) {
        struct list_seen *seen = mem_alloc(h->list_reads.n, sizeof *seen);
        for (size_t i = 0; i < h->list_reads.n; i++)
            seen[i] = history_list_seen(h, h->list_reads.at[i].op);
        explain_lists(&r, seen, true);
        explain_lists(&r, seen, false);
        put_in_place(&r);
        mem_free(seen);
        list_orders_free(&r.orders);
    }
    mem_free(r.counts);
}
