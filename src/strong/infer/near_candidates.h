/* near_candidates.h -- leaves out the writers that are far from a read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_NEAR_CANDIDATES_H
#define STRONG_INFER_NEAR_CANDIDATES_H

#include "depend/dependencies.h"
#include "strong/strong.h"

/* Whether the values of h have so many writers that it is worth while, and so
 * few near each other that the rest is worth searching.
 *
 *   time   O(1) */
bool near_candidates_suit(const struct history *h,
                          const struct strong_options *options);

/* Leave out the candidates that are far from their read.  A read that would
 * lose all of them keeps them.
 *
 * This is an assumption and no inference.  An order of what is left is an order
 * of the history; that there is none says nothing. */
void near_candidates_keep(struct dependencies *p, uint32_t span);

#endif
