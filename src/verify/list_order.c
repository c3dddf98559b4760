/* list_order.c -- see list_order.h.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/list_order.h"

/* Number the elements that transactions which count have seen. */
static void
index_elements(struct list_order *l)
{
    const struct history *h = l->h;
    uint32_t *length = mem_calloc(h->n_keys, sizeof *length);
    uint8_t *counts = mem_calloc(h->n_ops, sizeof *counts);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            counts[op] = h->txn_counts[t];
    for (size_t i = 0; i < h->list_reads.n; i++) {
        const struct list_read *r = &h->list_reads.at[i];
        const key_id k = op_key(h, r->op);
        if (!counts[r->op] || r->own != ID_NONE)
            continue;
        for (uint32_t j = length[k]; j < r->length; j++)
            l->index[h->order_items.at[h->order_first[k] + j]] = j + 1;
        length[k] = r->length > length[k] ? r->length : length[k];
    }
    mem_free(counts);
    mem_free(length);
}

void
list_order_init(struct list_order *l, const struct history *h)
{
    *l = (struct list_order){.h = h};
    if (!h->order_first)
        return;
    l->index = mem_calloc(h->n_values, sizeof *l->index);
    l->authors = mem_calloc(h->n_values, sizeof *l->authors);
    txn_id *author = mem_alloc(h->n_values, sizeof *author);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++) {
            const value_id v = h->op_value[op];
            if (!op_is_write(h, op) || (l->authors[v] && author[v] == t))
                continue;
            author[v] = t;
            l->authors[v] = l->authors[v] ? 2 : 1;
        }
    mem_free(author);
    index_elements(l);
}

void
list_order_free(struct list_order *l)
{
    mem_free(l->index);
    mem_free(l->authors);
    *l = (struct list_order){0};
}

/* Whether op appends an element that nobody else appends. */
static bool
is_own_append(const struct list_order *l, op_id op)
{
    return op_is_write(l->h, op) && l->authors[l->h->op_value[op]] == 1;
}

bool
list_order_before(const struct list_order *l, txn_id a, txn_id b)
{
    const struct history *h = l->h;
    if (!l->index)
        return false;
    for (op_id i = h->txn_begin[a]; i < h->txn_end[a]; i++) {
        const uint32_t first = l->index[h->op_value[i]];
        if (!is_own_append(l, i) || !first)
            continue;
        for (op_id j = h->txn_begin[b]; j < h->txn_end[b]; j++) {
            const uint32_t second = l->index[h->op_value[j]];
            if (is_own_append(l, j) && op_key(h, j) == op_key(h, i) &&
                (!second || first < second))
                return true;
        }
    }
    return false;
}

/* Append the elements of t.  reached[k] is the highest place of an element of
 * k that was appended; one that was not seen counts as beyond all. */
static bool
append(const struct list_order *l, txn_id t, uint32_t *reached)
{
    const struct history *h = l->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        const uint32_t index = l->index[h->op_value[op]];
        if (is_own_append(l, op) && index && index < reached[op_key(h, op)])
            return false;
    }
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!is_own_append(l, op))
            continue;
        const uint32_t index = l->index[h->op_value[op]];
        const uint32_t place = index ? index : UINT32_MAX;
        uint32_t *const r = &reached[op_key(h, op)];
        *r = place > *r ? place : *r;
    }
    return true;
}

bool
list_order_check(const struct history *h, const u32_vec *order, bool two_points,
                 struct err *err)
{
    if (!h->order_first)
        return true;
    struct list_order l;
    list_order_init(&l, h);
    uint32_t *reached = mem_calloc(h->n_keys, sizeof *reached);
    bool ok = true;
    for (size_t i = 0; ok && i < order->n; i++) {
        const point_id p = order->at[i];
        if (!two_points || p % 2)
            ok = append(&l, two_points ? p / 2 : p, reached);
    }
    mem_free(reached);
    list_order_free(&l);
    return ok || err_set(err, ERR_SYNTAX,
                         "the order contradicts the order of a list");
}
