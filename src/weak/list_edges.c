/* list_edges.c -- what observed lists make certain; see list_edges.h.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/list_edges.h"

struct lists {
    const struct history *h;
    txn_id *author;   // by value: the one transaction that appends it, or none
    uint32_t *length; // by key: as much of its order was seen
    uint8_t *seen;    // by value: it stands in that part
    txn_id *last;     // by key: the author of the last element that was seen
};

/* Call 'use' for each operation of a transaction that counts. */
#define EACH_COUNTING_OP(h, t, op)                                             \
    for (txn_id t = 0; t < (h)->n_txns; t++)                                   \
        if ((h)->txn_counts[t])                                                \
            for (op_id op = (h)->txn_begin[t]; op < (h)->txn_end[t]; op++)

static void
find_authors(struct lists *l)
{
    const struct history *h = l->h;
    l->author = mem_alloc(h->n_values, sizeof *l->author);
    memset(l->author, 0xff, h->n_values * sizeof *l->author); // TXN_NONE
    EACH_COUNTING_OP(h, t, op)
    {
        txn_id *author = &l->author[h->op_value[op]];
        if (op_is_write(h, op)) // TXN_INIT stands for several
            *author = *author == TXN_NONE || *author == t ? t : TXN_INIT;
    }
    for (value_id v = 0; v < h->n_values; v++)
        if (l->author[v] == TXN_INIT)
            l->author[v] = TXN_NONE;
}

/* Reads of transactions that do not count say nothing. */
static void
find_lengths(struct lists *l)
{
    const struct history *h = l->h;
    uint8_t *counts = mem_calloc(h->n_ops, sizeof *counts);
    EACH_COUNTING_OP(h, t, op)
    counts[op] = 1;
    l->length = mem_calloc(h->n_keys, sizeof *l->length);
    for (size_t i = 0; i < h->list_reads.n; i++) {
        const struct list_read *r = &h->list_reads.at[i];
        uint32_t *length = &l->length[op_key(h, r->op)];
        if (counts[r->op] && r->own == ID_NONE && r->length > *length)
            *length = r->length;
    }
    mem_free(counts);
}

/* Authors come in the order of their elements. */
static void
add_seen(struct lists *l, key_id k, struct edges *out)
{
    const struct history *h = l->h;
    const uint32_t begin = h->order_first[k];
    l->last[k] = TXN_NONE;
    for (uint32_t i = begin; i < begin + l->length[k]; i++) {
        const value_id v = h->order_items.at[i];
        const txn_id t = l->author[v];
        l->seen[v] = 1;
        if (t == TXN_NONE || t == l->last[k])
            continue;
        if (l->last[k] != TXN_NONE)
            edges_add(out, h, l->last[k], t, TXN_NONE);
        l->last[k] = t;
    }
}

void
list_edges_add(const struct history *h, struct edges *out)
{
    if (!h->order_first)
        return;
    struct lists l = {.h = h};
    find_authors(&l);
    find_lengths(&l);
    l.seen = mem_calloc(h->n_values, sizeof *l.seen);
    l.last = mem_alloc(h->n_keys, sizeof *l.last);
    for (key_id k = 0; k < h->n_keys; k++)
        add_seen(&l, k, out);
    EACH_COUNTING_OP(h, t, op)
    {
        const value_id v = h->op_value[op];
        const txn_id last = l.last[op_key(h, op)];
        if (op_is_write(h, op) && l.author[v] == t && !l.seen[v] &&
            last != TXN_NONE && last != t)
            edges_add(out, h, last, t, TXN_NONE);
    }
    mem_free(l.author);
    mem_free(l.length);
    mem_free(l.seen);
    mem_free(l.last);
}
