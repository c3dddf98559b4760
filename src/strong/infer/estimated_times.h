/* estimated_times.h -- when each transaction ran, estimated from reads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_ESTIMATED_TIMES_H
#define STRONG_INFER_ESTIMATED_TIMES_H

#include "history/history.h"

/* Estimate the place of each transaction of h among all of them.  time[t] is
 * set for those that count or may count; it rises within a session.
 *
 * This is a guess, and nothing follows from it.
 *
 *   time   O(operations * log operations) */
void estimated_times_find(const struct history *h, uint32_t *time);

#endif
