/* reduced_history.c -- see reduced_history.h.
 *
 * SPDX-License-Identifier: MIT */
#include "explain/reduce/reduced_history.h"

#include "base/container/sorted.h"
#include "explain/reduce/reduced_rows.h"
#include "explain/reduce/subhistory.h"

#include <stdlib.h>

struct completion {
    const struct history *h;
    uint8_t *wanted; // by value: a list shows it
    u32_vec txns, ops;
};

/* Take all appends of t to the key of op. */
static void
take_run(struct completion *c, txn_id t, op_id op)
{
    const struct history *h = c->h;
    for (op_id i = h->txn_begin[t]; i < h->txn_end[t]; i++)
        if (op_is_write(h, i) && op_key(h, i) == op_key(h, op))
            vec_push(&c->ops, i);
    vec_push(&c->txns, t);
}

static void
take_appends(struct completion *c)
{
    const struct history *h = c->h;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_write(h, op) && c->wanted[h->op_value[op]])
                take_run(c, t, op);
}

/* The transactions of the operations, which are in ascending order of ids. */
static void
take_owners(struct completion *c, const op_id *ops, size_t n)
{
    const struct history *h = c->h;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (n && bsearch(&op, ops, n, sizeof op, sorted_compare)) {
                vec_push(&c->txns, t);
                break;
            }
}

bool
reduced_history_make(const struct history *h, const op_id *ops, size_t n,
                     const u32_vec *txns, bool count, struct history *out,
                     struct err *err)
{
    bool lists = false;
    for (size_t i = 0; i < n; i++)
        lists |= op_is_of_list(h, ops[i]);
    if (h->rows && !lists)
        return reduced_rows_make(h, ops, n, txns, count, out, err);
    struct completion c = {.h = h};
    c.wanted = mem_calloc(h->n_values, sizeof *c.wanted);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        vec_push(&c.ops, ops[i]);
        const struct list_seen seen = history_list_seen(h, ops[i]);
        for (size_t j = 0; j < seen.n; j++)
            c.wanted[seen.at[j]] = 1;
        any |= seen.n;
    }
    take_owners(&c, ops, n);
    for (size_t i = 0; i < txns->n; i++)
        vec_push(&c.txns, txns->at[i]);
    if (any)
        take_appends(&c);
    mem_free(c.wanted);
    sorted_unique(&c.ops);
    sorted_unique(&c.txns);
    txn_id *origin = mem_alloc(c.txns.n, sizeof *origin);
    const struct subhistory_selection selection = {.txns = c.txns.at,
                                                   .n = c.txns.n,
                                                   .only = c.ops.at,
                                                   .n_only = c.ops.n,
                                                   .inconsistent = true,
                                                   .count = count,
                                                   .whole_lists = true};
    const bool ok = subhistory_make(h, &selection, out, origin, err);
    mem_free(origin);
    vec_free(&c.ops);
    vec_free(&c.txns);
    return ok;
}
