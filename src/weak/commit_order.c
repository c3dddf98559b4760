/* commit_order.c -- see commit_order.h.
 *
 * The sequence that the input suggests is often a commit order already, and
 * that is cheap to check.  A transaction that reads only what was last written
 * satisfies every level.  Only the edges that the other transactions force are
 * compared with the sequence, and none is stored.
 *
 * Every cycle has an edge against the sequence, and lies between the ends of
 * such edges.  So where few transactions force one, the edges there are looked
 * at first, and a cycle among them is a violation.
 *
 * Otherwise all edges are inferred and sorted together with session order and
 * the assignment.  A topological order of them is a commit order, because no
 * level's premise depends on the commit order; a cycle is a violation (Biswas
 * and Enea, "On the Complexity of Checking Transactional Consistency", OOPSLA
 * 2019).
 *
 * SPDX-License-Identifier: MIT */
#include "weak/commit_order.h"

#include "base/container/sorted.h"
#include "base/limits/tuning.h"
#include "weak/causal.h"
#include "weak/edge_reason.h"
#include "weak/input_order.h"
#include "weak/read_committed_edges.h"

#include <stdlib.h>

void
ordered_assignment_init(struct ordered_assignment *g,
                        const struct writer_assignment *r, const u32_vec *roots,
                        unsigned threads)
{
    *g = (struct ordered_assignment){.assignment = *r, .roots = roots};
    g->cyclic = !(!r->chosen && input_order_take(r, roots, threads,
                                                 &g->sequence, &g->stale)) &&
                !topological_sort_find(r, NULL, roots, &g->sequence, &g->stale);
    list_edges_find(r->h, &g->listed);
}

void
ordered_assignment_free(struct ordered_assignment *g)
{
    vec_free(&g->stale);
    vec_free(&g->listed);
    topological_order_free(&g->sequence);
}

static void
add_listed(const struct ordered_assignment *g, struct edges *out)
{
    for (size_t i = 0; i < g->listed.n; i++)
        edges_add(out, g->assignment.h, g->listed.at[i].from,
                  g->listed.at[i].to, TXN_NONE);
}

/* Infer the edges of a level; false where the budget is spent. */
static bool
infer(const struct ordered_assignment *g, enum level level,
      const struct weak_options *o, const u32_vec *readers, struct edges *out)
{
    assert(level_is_weak(level));
    if (level_is_causal(level))
        return causal_edges(&g->assignment, &g->sequence, readers, o, out);
    read_committed_edges_infer(&g->assignment, level, readers, o->threads, out);
    return budget_spend(o->budget,
                        TUNE_COMMIT_STEPS * (uint64_t)g->assignment.h->n_ops);
}

/* Move the transactions of a sequence to 'order'. */
static void
move_order(struct topological_order *s, u32_vec *order)
{
    vec_free(order);
    order->at = s->at;
    order->n = order->room = s->n;
    s->at = NULL;
}

/* Collect the edges that 'readers' force, or all transactions where that is
 * NULL. */
static bool
collect_edges(const struct ordered_assignment *g, enum level level,
              const struct weak_options *o, const u32_vec *readers,
              struct edges *out)
{
    assert(!g->cyclic && !out->all.n);
    out->store = true;
    add_listed(g, out);
    out->listed = out->all.n;
    return infer(g, level, o, readers, out);
}

bool
commit_order_edges(const struct ordered_assignment *g, enum level level,
                   const struct weak_options *o, struct edges *out)
{
    return collect_edges(g, level, o, NULL, out);
}

/* Sort again, by all edges that were stored. */
static enum verdict
sort_by_all_edges(const struct ordered_assignment *g, struct edges *edges,
                  u32_vec *order, struct weak_stats *stats)
{
    const struct writer_assignment *r = &g->assignment;
    stats->edges += edges->all.n;
    if (edges->stale.n)
        return VERDICT_VIOLATED;
    struct predecessors more;
    edges_group(edges, r->h, &more);
    struct topological_order sequence;
    const bool acyclic =
        topological_sort_find(r, &more, g->roots, &sequence, NULL);
    if (acyclic)
        move_order(&sequence, order);
    topological_order_free(&sequence);
    predecessors_free(&more);
    return acyclic ? VERDICT_OK : VERDICT_VIOLATED;
}

/* Append the transactions with a read of one candidate, in sequence. */
static void
find_certain_readers(const struct ordered_assignment *g, u32_vec *readers)
{
    const struct history *h = g->assignment.h;
    for (size_t i = 0; i < g->sequence.n; i++) {
        const txn_id t = g->sequence.at[i];
        op_id op = h->txn_begin[t];
        while (op < h->txn_end[t] && (!op_is_external_read(h, op) ||
                                      history_has_several(h, h->op_value[op])))
            op++;
        if (op < h->txn_end[t])
            vec_push(readers, t);
    }
}

bool
commit_order_is_refuted(const struct ordered_assignment *g, enum level level,
                        const struct weak_options *o, struct edges *edges,
                        struct weak_stats *stats)
{
    if (g->cyclic)
        return true;
    u32_vec order = {0}, readers = {0};
    find_certain_readers(g, &readers);
    const bool finished = collect_edges(g, level, o, &readers, edges);
    vec_free(&readers);
    if (!finished)
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < edges->stale.n; i++)
        if (edge_reason_is_certain(&g->assignment, level, &edges->stale.at[i]))
            edges->stale.at[kept++] = edges->stale.at[i];
    edges->stale.n = kept;
    const bool cyclic =
        sort_by_all_edges(g, edges, &order, stats) == VERDICT_VIOLATED;
    vec_free(&order);
    return cyclic;
}

enum verdict
commit_order_compare(const struct ordered_assignment *g, enum level level,
                     const struct weak_options *o, u32_vec *order)
{
    budget_spend(o->budget,
                 TUNE_COMMIT_STEPS * (uint64_t)g->assignment.h->n_ops);
    if (g->cyclic)
        return VERDICT_VIOLATED;
    struct edges check = {.sequence = &g->sequence};
    add_listed(g, &check);
    if (!check.broken && g->stale.n && !infer(g, level, o, &g->stale, &check))
        return VERDICT_UNKNOWN;
    if (check.broken)
        return VERDICT_VIOLATED;
    vec_clear(order);
    vec_grow(order, g->sequence.n);
    if (order->n)
        memcpy(order->at, g->sequence.at, order->n * sizeof *order->at);
    return VERDICT_OK;
}

enum verdict
commit_order_sort(const struct ordered_assignment *g, enum level level,
                  const struct weak_options *o, u32_vec *order,
                  struct edges *edges, struct weak_stats *stats)
{
    return commit_order_edges(g, level, o, edges)
               ? sort_by_all_edges(g, edges, order, stats)
               : VERDICT_UNKNOWN;
}

/* --- cycles near the edges against the sequence ------------------------------
 */

/* Mark the places of the sequence between the ends of edges against it; returns
 * how many there are. */
static size_t
mark_places(const struct ordered_assignment *g, const struct edges *e,
            uint8_t *marked)
{
    const uint32_t *position = g->sequence.position;
    uint32_t *end = mem_calloc(g->sequence.n, sizeof *end); // by first place
    size_t n = 0;
    for (size_t i = 0; i < e->all.n; i++) {
        const uint32_t from = position[e->all.at[i].from];
        const uint32_t to = position[e->all.at[i].to];
        if (to < from && end[to] < from)
            end[to] = from;
    }
    for (uint32_t i = 0, until = 0; i < g->sequence.n; i++) {
        if (end[i] > until)
            until = end[i];
        marked[i] = end[i] || i < until || (until && i == until);
        n += marked[i];
    }
    mem_free(end);
    return n;
}

/* Append those that read from a transaction at a marked place, in sequence: no
 * others force an edge to one. */
static void
find_readers_from(const struct ordered_assignment *g, const uint8_t *marked,
                  u32_vec *readers)
{
    const struct history *h = g->assignment.h;
    for (size_t i = 0; i < g->sequence.n; i++) {
        const txn_id t = g->sequence.at[i];
        bool reads = false;
        for (op_id op = h->txn_begin[t]; !reads && op < h->txn_end[t]; op++) {
            if (!op_is_external_read(h, op))
                continue;
            const txn_id from = assigned_writer(&g->assignment, op);
            reads = from != TXN_INIT && marked[g->sequence.position[from]];
        }
        if (reads)
            vec_push(readers, t);
    }
}

/* Whether there is a cycle, with the edges that may be part of one in *edges.
 * False also where looking at all edges is as good. */
static bool
has_near_cycle(const struct ordered_assignment *g, enum level level,
               const struct weak_options *o, struct edges *edges,
               struct weak_stats *stats)
{
    const size_t n = g->sequence.n;
    struct edges few = {0};
    u32_vec readers = {0}, order = {0};
    if (g->stale.n > TUNE_STALE_FEW + n / TUNE_STALE_SHARE)
        return false;
    uint8_t *marked = mem_calloc(n, sizeof *marked);
    bool ok = collect_edges(g, level, o, &g->stale, &few) && !few.stale.n &&
              mark_places(g, &few, marked) <= n / 2;
    if (ok)
        find_readers_from(g, marked, &readers);
    if (readers.n && level_table[level].premise !=
                         PREMISE_CAUSAL) // as without a list of readers
        qsort(readers.at, readers.n, sizeof *readers.at, sorted_compare);
    ok = ok && collect_edges(g, level, o, &readers, edges) &&
         sort_by_all_edges(g, edges, &order, stats) == VERDICT_VIOLATED;
    if (!ok) {
        edges_free(edges);
        *edges = (struct edges){0};
    }
    edges_free(&few);
    mem_free(marked);
    vec_free(&readers);
    vec_free(&order);
    return ok;
}

enum verdict
commit_order_decide(const struct ordered_assignment *g, enum level level,
                    const struct weak_options *o, u32_vec *order,
                    struct edges *edges, struct weak_stats *stats)
{
    const enum verdict compared = commit_order_compare(g, level, o, order);
    if (g->cyclic || compared != VERDICT_VIOLATED)
        return compared;
    if (has_near_cycle(g, level, o, edges, stats))
        return VERDICT_VIOLATED;
    return commit_order_sort(g, level, o, order, edges, stats);
}
