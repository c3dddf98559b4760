/* settle.h -- whether a reading satisfies a weak level.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_SETTLE_H
#define WEAK_SETTLE_H

#include "weak/edges.h"
#include "weak/weak.h"

/* What is common to all levels. */
struct groundwork {
    struct reading reading;
    const u32_vec *roots;     // an order to stay close to; borrowed
    struct sequence sequence; // respects session order and the reading
    bool cyclic;              // there is none: both together have a cycle
    u32_vec stale;            // see sequence_find
};

void groundwork_init(struct groundwork *g, const struct reading *r,
                     const u32_vec *roots);
void groundwork_free(struct groundwork *g);

/* Collect the edges of 'level' in 'out', which is empty; false where the budget
 * is spent first.
 *
 *   require  !g->cyclic */
bool collect_edges(const struct groundwork *g, enum level level,
                   const struct weak_options *o, struct edges *out);

/* Decide 'level' (rc, ra or cc).
 *
 * VERDICT_OK: 'order' is a commit order.  VERDICT_VIOLATED: session order, the
 * reading and 'edges' have a cycle, with INIT or among transactions.
 * VERDICT_UNKNOWN: the budget is spent.  Both outputs are the caller's to
 * free, whatever the answer. */
enum verdict settle(const struct groundwork *g, enum level level,
                    const struct weak_options *o, u32_vec *order,
                    struct edges *edges, struct weak_stats *stats);

#endif
