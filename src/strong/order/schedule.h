/* schedule.h -- a first order, by replaying the history like a store.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_SCHEDULE_H
#define STRONG_ORDER_SCHEDULE_H

#include "strong/infer/infer.h"

/* Write a topological order of p->g to out[0 .. g.n) that breaks few reads.
 * f->order must be fresh from sorting.  Mark in 'counting' the open
 * transactions that it needs (see order_check.h); the others come last. */
void schedule_run(const struct inference *f, uint32_t *out, uint8_t *counting);

#endif
