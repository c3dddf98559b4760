/* schedule.h -- a first order, by running the history like a store.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_SCHEDULE_H
#define STRONG_ORDER_SCHEDULE_H

#include "strong/infer/inference.h"

/* Write a topological order of p->g to out[0 .. g.n) that breaks few reads.
 * Mark in 'counting' the open transactions that count in it (see
 * order_check.h); the others come last.
 *
 *   require  f->order is sorted by depth, as inference_update leaves it */
void schedule_run(const struct inference *f, uint32_t *out, uint8_t *counting);

#endif
