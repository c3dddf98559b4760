/* verify_list_order.c -- see verify_list_order.h.
 *
 * SPDX-License-Identifier: MIT */
#include "verify/lists/verify_list_order.h"

void
verify_list_order_init(struct verify_list_order *l, const struct history *h)
{
    *l = (struct verify_list_order){.h = h};
    if (!h->key_is_list)
        return;
    l->index = mem_calloc(h->n_values, sizeof *l->index);
    uint32_t *length = mem_calloc(h->n_keys, sizeof *length);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; h->txn_counts[t] && op < h->txn_end[t];
             op++) {
            const struct list_seen seen = history_list_seen(h, op);
            uint32_t *const n = &length[op_key(h, op)];
            for (; *n < seen.n; ++*n)
                l->index[seen.at[*n]] = *n + 1;
        }
    mem_free(length);
}

void
verify_list_order_free(struct verify_list_order *l)
{
    mem_free(l->index);
    *l = (struct verify_list_order){0};
}

static bool
is_append(const struct history *h, op_id op)
{
    return op_is_write(h, op) && op_is_of_list(h, op);
}

bool
verify_list_order_before(const struct verify_list_order *l, txn_id a, txn_id b)
{
    const struct history *h = l->h;
    if (!l->index)
        return false;
    for (op_id i = h->txn_begin[a]; i < h->txn_end[a]; i++) {
        const uint32_t first = l->index[h->op_value[i]];
        if (!is_append(h, i) || !first)
            continue;
        for (op_id j = h->txn_begin[b]; j < h->txn_end[b]; j++) {
            const uint32_t second = l->index[h->op_value[j]];
            if (is_append(h, j) && op_key(h, j) == op_key(h, i) &&
                (!second || first < second))
                return true;
        }
    }
    return false;
}

/* Append the elements of t.  reached[k] is the highest place of an element of
 * k that was appended; one that was not seen counts as beyond all. */
static bool
append(const struct verify_list_order *l, txn_id t, uint32_t *reached)
{
    const struct history *h = l->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        const uint32_t index = l->index[h->op_value[op]];
        if (is_append(h, op) && index && index < reached[op_key(h, op)])
            return false;
    }
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!is_append(h, op))
            continue;
        const uint32_t index = l->index[h->op_value[op]];
        const uint32_t place = index ? index : UINT32_MAX;
        uint32_t *const r = &reached[op_key(h, op)];
        *r = place > *r ? place : *r;
    }
    return true;
}

bool
verify_list_order_check(const struct history *h, const u32_vec *order,
                        bool two_points, struct err *err)
{
    if (!h->key_is_list)
        return true;
    struct verify_list_order l;
    verify_list_order_init(&l, h);
    uint32_t *reached = mem_calloc(h->n_keys, sizeof *reached);
    bool ok = true;
    for (size_t i = 0; ok && i < order->n; i++) {
        const point_id p = order->at[i];
        if (!two_points || p % 2)
            ok = append(&l, two_points ? p / 2 : p, reached);
    }
    mem_free(reached);
    verify_list_order_free(&l);
    return ok || err_set(err, ERR_SYNTAX,
                         "the order contradicts the order of a list");
}
