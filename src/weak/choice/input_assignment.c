/* input_assignment.c -- see input_assignment.h.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choice/input_assignment.h"

struct recorded {
    const struct history *h;
    txn_id *last; // by value: its last writer so far, or TXN_NONE
    txn_id *chosen;
};

/* Whether the external read op has to be decided. */
static bool
is_ambiguous(const struct history *h, op_id op)
{
    return op_is_external_read(h, op) &&
           history_has_several(h, h->op_value[op]);
}

/* Choose for the reads of t from what was written before it; TXN_NONE where
 * nothing was. */
static void
choose_before(struct recorded *r, txn_id t)
{
    const struct history *h = r->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!is_ambiguous(h, op))
            continue;
        const value_id v = h->op_value[op];
        const txn_id first = history_candidates(h, v).at[0];
        r->chosen[op] =
            r->last[v] == TXN_NONE && first == TXN_INIT ? TXN_INIT : r->last[v];
    }
}

/* Choose for the reads of t that found nothing before it from what is written
 * after it. */
static void
choose_after(struct recorded *r, txn_id t)
{
    const struct history *h = r->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!is_ambiguous(h, op) || r->chosen[op] != TXN_NONE)
            continue;
        const value_id v = h->op_value[op];
        const struct txn_range all = history_candidates(h, v);
        assert(all.n > 1);
        r->chosen[op] =
            r->last[v] != TXN_NONE ? r->last[v] : all.at[all.at[0] == t];
    }
}

static void
note_writes(struct recorded *r, txn_id t)
{
    const struct history *h = r->h;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_final_write(h, op))
            r->last[h->op_value[op]] = t;
}

void
input_assignment_choose(const struct history *h, const u32_vec *order,
                        txn_id *chosen)
{
    struct recorded r = {.h = h, .chosen = chosen};
    const size_t bytes = h->n_values * sizeof *r.last;
    r.last = mem_alloc(h->n_values, sizeof *r.last);
    memset(r.last, 0xff, bytes);
    for (size_t i = 0; i < order->n; i++) {
        assert(h->txn_counts[order->at[i]]);
        choose_before(&r, order->at[i]);
        if (h->txn_counts[order->at[i]] == TXN_COUNTS)
            note_writes(&r, order->at[i]);
    }
    memset(r.last, 0xff, bytes);
    for (size_t i = order->n; i--;) {
        choose_after(&r, order->at[i]);
        note_writes(&r, order->at[i]);
    }
    mem_free(r.last);
}
