/* weak.c -- several weak levels in one go; see weak.h.
 *
 * An order that satisfies a level satisfies the weaker ones too, because what
 * rc infers ra infers as well, and what ra infers cc does.  So levels are
 * decided from the strongest down, and the first that holds decides the rest.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/weak.h"

#include "weak/choice/suggested_assignment.h"
#include "weak/choice/writer_choice.h"
#include "weak/commit_order.h"
#include "weak/witness.h"

/* Fill in the certificate of a level that commit_order_decide() decided. */
static void
conclude(const struct ordered_assignment *g, enum verdict verdict,
         const struct edges *edges, struct certificate *c)
{
    c->verdict = verdict;
    if (verdict == VERDICT_OK)
        c->kind = EVIDENCE_ORDER;
    if (verdict != VERDICT_VIOLATED)
        return;
    cycle_vec cycles = {0};
    (void)witness_find(g, c->level, edges, false, 1, &cycles);
    assert(cycles.n == 1 && cycles.at[0].edges.n >= 2);
    c->kind = EVIDENCE_CYCLE;
    c->cycle = cycles.at[0];
    vec_free(&cycles);
}

/* Take over the evidence for a stronger level that holds. */
static void
inherit(struct certificate *to, const struct certificate *from)
{
    assert(from->kind == EVIDENCE_ORDER && to->level < from->level);
    to->verdict = VERDICT_OK;
    to->kind = EVIDENCE_ORDER;
    for (size_t i = 0; i < from->order.n; i++)
        vec_push(&to->order, from->order.at[i]);
    for (size_t i = 0; i < from->choices.n; i++)
        vec_push(&to->choices, from->choices.at[i]);
}

/* The levels that need a commit order. */
static level_set
searched(level_set levels)
{
    return levels & level_weak() & level_ordered();
}

static enum level
take_strongest(level_set *left)
{
    const enum level l = level_highest(*left);
    assert(level_is_weak(l));
    *left &= ~level_bit(l);
    return l;
}

/* Every row of 'levels' is violated by the first inconsistent read. */
static bool
check_reads(const struct history *h, level_set levels,
            struct certificate out[LEVELS])
{
    flaw_vec flaws = {0};
    const bool consistent = history_flaws(h, 1, &flaws) == 0;
    levels &= level_weak();
    for (enum level l = 0; l < LEVELS; l++)
        if (level_set_has(levels, l)) {
            out[l] =
                (struct certificate){.level = l, .verdict = VERDICT_UNKNOWN};
            if (consistent && level_is_orderless(l)) {
                out[l].verdict = VERDICT_OK;
                out[l].kind = EVIDENCE_ORDER; // with nothing to order
            }
            if (consistent)
                continue;
            out[l].verdict = VERDICT_VIOLATED;
            out[l].kind = EVIDENCE_FLAW;
            out[l].flaw = flaws.at[0];
        }
    vec_free(&flaws);
    return consistent;
}

/* Decide the levels of a history in which every read has one candidate. */
static void
check_unique(const struct history *h, level_set levels,
             const struct weak_options *o, struct certificate out[LEVELS],
             struct weak_stats *stats)
{
    const struct writer_assignment r = {h, NULL, h->txn_counts};
    u32_vec roots = {0};
    struct ordered_assignment g;
    topological_sort_suggest(h, &roots);
    ordered_assignment_init(&g, &r, &roots, o->threads);
    stats->stale = g.stale.n;
    const struct certificate *held = NULL;
    for (level_set left = searched(levels); left;) {
        const enum level l = take_strongest(&left);
        if (held) {
            inherit(&out[l], held);
            continue;
        }
        struct edges edges = {0};
        const enum verdict v =
            commit_order_decide(&g, l, o, &out[l].order, &edges, stats);
        conclude(&g, v, &edges, &out[l]);
        edges_free(&edges);
        if (v == VERDICT_OK)
            held = &out[l];
    }
    ordered_assignment_free(&g);
    vec_free(&roots);
}

/* The same where reads have several. */
static void
check_ambiguous(const struct history *h, level_set levels,
                const struct weak_options *o, struct certificate out[LEVELS],
                struct weak_stats *stats)
{
    const struct certificate *held = NULL;
    for (level_set left = searched(levels); left;) {
        const enum level l = take_strongest(&left);
        if (held)
            inherit(&out[l], held);
        else
            writer_choice_decide(h, o, &out[l], stats);
        if (out[l].verdict == VERDICT_OK)
            held = &out[l];
    }
}

void
weak_check(const struct history *h, level_set levels,
           const struct weak_options *o, struct certificate out[LEVELS],
           struct weak_stats *stats)
{
    assert(h->txn_counts); // resolved
    *stats = (struct weak_stats){0};
    if (!check_reads(h, levels, out))
        return;
    if (h->several.n)
        check_ambiguous(h, levels, o, out, stats);
    else if (searched(levels))
        check_unique(h, levels, o, out, stats);
}

void
weak_try_order(const struct history *h, level_set levels, const u32_vec *order,
               const struct weak_options *o, struct certificate out[LEVELS],
               struct weak_stats *stats)
{
    u32_vec recorded = {0};
    unsigned steps = SUGGESTED_SORT;
    if (!order) {
        topological_sort_suggest(h, &recorded);
        order = &recorded;
        steps = SUGGESTED_REFUTE;
    }
    if (check_reads(h, levels, out)) {
        const struct certificate *held = NULL;
        for (level_set left = searched(levels); left;) {
            const enum level l = take_strongest(&left);
            if (held)
                inherit(&out[l], held);
            else if (suggested_assignment_try(h, order, steps, o, &out[l],
                                              stats) &&
                     out[l].verdict == VERDICT_OK)
                held = &out[l];
        }
    }
    vec_free(&recorded);
}

void
weak_witnesses(const struct history *h, enum level level,
               const struct weak_options *o, size_t most, cycle_vec *out)
{
    if (h->several.n) {
        struct certificate c = {.level = level};
        struct weak_stats stats = {0};
        writer_choice_decide(h, o, &c, &stats);
        if (c.kind == EVIDENCE_CYCLE && most) {
            vec_push(out, c.cycle);
            c.cycle = (struct cycle){0};
        }
        certificate_free(&c);
        return;
    }
    const struct writer_assignment r = {h, NULL, h->txn_counts};
    struct weak_stats stats = {0};
    u32_vec roots = {0}, order = {0};
    struct edges edges = {0};
    struct ordered_assignment g;
    topological_sort_suggest(h, &roots);
    ordered_assignment_init(&g, &r, &roots, o->threads);
    if (commit_order_decide(&g, level, o, &order, &edges, &stats) ==
        VERDICT_VIOLATED)
        (void)witness_find(&g, level, &edges, false, most, out);
    edges_free(&edges);
    ordered_assignment_free(&g);
    vec_free(&order);
    vec_free(&roots);
}
