/* bidirectional.h -- order search from both ends at once, for few keys.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_BIDIRECTIONAL_H
#define STRONG_ORDER_BIDIRECTIONAL_H

#include "base/limits/budget.h"
#include "base/limits/tuning.h"
#include "depend/dependencies.h"

/* Whether the problem is of the kind: one point a transaction, no time line,
 * and few sessions, keys and values. */
bool bidirectional_suits(const struct dependencies *p);

/* Try to find a topological order of p->g in which every read sees what was
 * last written, and write it to out[0 .. g.n).  False says nothing: an order
 * may exist.  Each effort, from 0 on, is four times the one before.
 *
 *   time    some ten seconds for the last effort, at 100 transactions
 *   memory  about TUNE_BIDIRECTIONAL_BYTES at most */
bool bidirectional_search(const struct dependencies *p, unsigned effort,
                          struct budget *budget, uint32_t *out);

#endif
