/* commit_order.h -- whether an assignment satisfies a weak level.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_COMMIT_ORDER_H
#define WEAK_COMMIT_ORDER_H

#include "depend/list_edges.h"
#include "weak/edges.h"
#include "weak/weak.h"

/* An assignment, and what all levels need of it. */
struct ordered_assignment {
    struct writer_assignment assignment;
    const u32_vec *roots; // an order to stay close to; borrowed
    struct topological_order
        sequence;         // respects session order and the assignment
    bool cyclic;          // there is none: both together have a cycle
    u32_vec stale;        // see topological_sort_find
    list_edge_vec listed; // edges of every level, by the orders of lists
};

void ordered_assignment_init(struct ordered_assignment *g,
                             const struct writer_assignment *r,
                             const u32_vec *roots, unsigned threads);
void ordered_assignment_free(struct ordered_assignment *g);

/* Collect the edges of 'level' in 'out', which is empty; false where the budget
 * is spent first.
 *
 *   require  !g->cyclic */
bool commit_order_edges(const struct ordered_assignment *g, enum level level,
                        const struct weak_options *o, struct edges *out);

/* Whether session order, the assignment and the edges of 'level' have a cycle
 * that does not rest on a read from INIT with several candidates; then 'edges'
 * are these, without those that do.  False also where the budget is spent. */
bool commit_order_is_refuted(const struct ordered_assignment *g,
                             enum level level, const struct weak_options *o,
                             struct edges *edges, struct weak_stats *stats);

/* Decide 'level' (rc, ra or cc).
 *
 * VERDICT_OK: 'order' is a commit order.  VERDICT_VIOLATED: session order, the
 * assignment and 'edges' have a cycle, with INIT or among transactions.
 * VERDICT_UNKNOWN: the budget is spent.  Both outputs are the caller's to
 * free, whatever the answer. */
enum verdict commit_order_decide(const struct ordered_assignment *g,
                                 enum level level, const struct weak_options *o,
                                 u32_vec *order, struct edges *edges,
                                 struct weak_stats *stats);

/* The two steps of that.  The first is cheap and compares the sequence with the
 * edges: VERDICT_VIOLATED says no more than that it is no commit order.  The
 * second sorts all edges.
 *
 *   require  !g->cyclic, for the second */
enum verdict commit_order_compare(const struct ordered_assignment *g,
                                  enum level level,
                                  const struct weak_options *o, u32_vec *order);
enum verdict commit_order_sort(const struct ordered_assignment *g,
                               enum level level, const struct weak_options *o,
                               u32_vec *order, struct edges *edges,
                               struct weak_stats *stats);

#endif
