/* suggested_assignment.c -- see suggested_assignment.h.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/choice/suggested_assignment.h"

#include "weak/choice/counting.h"
#include "weak/choice/input_assignment.h"
#include "weak/commit_order.h"
#include "weak/witness.h"

void
suggested_assignment_conclude(const struct history *h, const txn_id *chosen,
                              const uint8_t *counts, struct certificate *out)
{
    out->kind = EVIDENCE_ORDER;
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; counts[t] && op < h->txn_end[t]; op++)
            if (op_is_external_read(h, op) &&
                history_has_several(h, h->op_value[op])) {
                assert(chosen[op] != t);
                vec_push(&out->choices, ((struct choice){op, chosen[op]}));
            }
}

/* Look for a cycle that depends on no choice: leave all reads with several
 * candidates open, as reads from INIT, which force nothing among transactions.
 * True where there is one. */
static bool
refute_certain(const struct history *h, const u32_vec *roots,
               const struct weak_options *o, struct certificate *out,
               struct weak_stats *stats)
{
    txn_id *chosen = mem_alloc(h->n_ops, sizeof *chosen);
    uint8_t *counts = mem_alloc(h->n_txns, sizeof *counts);
    const struct writer_assignment r = {h, chosen, counts};
    struct ordered_assignment g;
    struct edges edges = {0};
    cycle_vec cycles = {0};
    for (op_id op = 0; op < h->n_ops; op++)
        chosen[op] = TXN_INIT; // of reads with one candidate it is not asked
    counting_find(h, chosen, counts, NULL);
    ordered_assignment_init(&g, &r, roots, o->threads);
    if (commit_order_is_refuted(&g, out->level, o, &edges, stats)) {
        (void)witness_find(&g, out->level, &edges, false, 1, &cycles);
        assert(cycles.n == 1);
        out->verdict = VERDICT_VIOLATED;
        out->kind = EVIDENCE_CYCLE;
        out->cycle = cycles.at[0];
    }
    vec_free(&cycles);
    edges_free(&edges);
    ordered_assignment_free(&g);
    mem_free(counts);
    mem_free(chosen);
    return out->verdict == VERDICT_VIOLATED;
}

bool
suggested_assignment_try(const struct history *h, const u32_vec *order,
                         unsigned steps, const struct weak_options *o,
                         struct certificate *out, struct weak_stats *stats)
{
    txn_id *chosen = mem_alloc(h->n_ops, sizeof *chosen);
    uint8_t *counts = mem_alloc(h->n_txns, sizeof *counts);
    const struct writer_assignment r = {h, chosen, counts};
    struct ordered_assignment g;
    struct edges edges = {0};
    assert(out->verdict == VERDICT_UNKNOWN);
    input_assignment_choose(h, order, chosen);
    counting_find(h, chosen, counts, NULL);
    ordered_assignment_init(&g, &r, order, o->threads);
    stats->rounds++;
    bool ok =
        commit_order_compare(&g, out->level, o, &out->order) == VERDICT_OK;
    const bool refuted = !ok && (steps & SUGGESTED_REFUTE) &&
                         refute_certain(h, order, o, out, stats);
    if (!ok && !refuted && (steps & SUGGESTED_SORT) && !g.cyclic)
        ok = commit_order_sort(&g, out->level, o, &out->order, &edges, stats) ==
             VERDICT_OK;
    if (ok) {
        out->verdict = VERDICT_OK;
        suggested_assignment_conclude(h, chosen, counts, out);
    }
    edges_free(&edges);
    ordered_assignment_free(&g);
    mem_free(counts);
    mem_free(chosen);
    return out->verdict != VERDICT_UNKNOWN;
}
