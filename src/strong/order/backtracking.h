/* backtracking.h -- finding an order by running the history, with second
 * thoughts.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_BACKTRACKING_H
#define STRONG_ORDER_BACKTRACKING_H

#include "strong/infer/infer.h"

/* Try to find a topological order of p->g that breaks nothing, and write it to
 * out[0 .. g.n).  False says nothing: there may be one.  'counting' says which
 * open transactions it needs (see order_check.h); the others come last.
 *
 *   time   at most 'steps' steps, of O(sessions) each */
bool backtracking_search(const struct inference *f, uint64_t steps,
                         uint32_t *out, uint8_t *counting);

#endif
