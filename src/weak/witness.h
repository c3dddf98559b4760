/* witness.h -- from a violated level to short cycles with reasons.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_WITNESS_H
#define WEAK_WITNESS_H

#include "weak/commit_order.h"

/* Fill 'out', which is empty, with at most 'most' cycles that show why 'level'
 * fails, given the edges that commit_order_decide() found.
 *
 * One where a read of the initial state is stale, through INIT, and one for
 * each strongly connected component; or, with 'many', for each stale read and
 * each edge that goes against the sequence.
 *
 *   require  commit_order_decide() said VERDICT_VIOLATED
 *   ensure   there is one at least where most > 0
 *   returns  how many edges were visited, which is what it cost */
uint64_t witness_find(const struct ordered_assignment *g, enum level level,
                      const struct edges *edges, bool many, size_t most,
                      cycle_vec *out);

#endif
