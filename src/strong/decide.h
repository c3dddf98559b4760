/* decide.h -- the stages that decide a problem: build, infer, search.
 *
 * They are run by strong.c, on the history, and by near_order.c, on a history
 * with assumptions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_DECIDE_H
#define STRONG_DECIDE_H

#include "strong/infer/inference.h"

/* Build the problem of h at level l. */
void decide_build(struct dependencies *p, const struct history *h, enum level l,
                  struct strong_context *context);

/* Run the history before anything is inferred, once inference_init has
 * succeeded.  True with *out the certificate where that breaks nothing.
 *
 *   require  the level is not psi */
bool decide_by_run(const struct inference *f, struct certificate *out);

/* Infer what is certain, once inference_init has been called.  False where the
 * budget is spent, or where there is a conflict.  Then *out says that the level
 * is violated, unless a proof would need the candidates that were struck out,
 * and these were not recorded: context->needs_record. */
bool decide_infer(struct inference *f, struct certificate *out);

/* Decide the rest: find an order, or search. */
void decide_search(struct inference *f, struct certificate *out);

#endif
