/* witness.h -- from a violated level to short cycles with reasons.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_WITNESS_H
#define WEAK_WITNESS_H

#include "weak/settle.h"

/* Append at most 'most' cycles that show why 'level' fails, given the edges
 * that settle() found: first one through INIT where a read of the initial
 * state is stale, then one per strongly connected component.
 *
 *   require  settle() said VERDICT_VIOLATED
 *   ensure   at least one cycle is appended where most > 0 */
void find_witnesses(const struct groundwork *g, enum level level,
                    const struct edges *edges, size_t most, cycle_vec *out);

#endif
