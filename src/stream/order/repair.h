/* repair.h -- another order for the transactions around one that does not fit.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_REPAIR_H
#define STREAM_ORDER_REPAIR_H

#include "stream/order/pass.h"

/* Take back some transactions before the first one of the queue, and place them
 * and some of the queue in an order that an engine proposes.  The window grows
 * until that succeeds or it is the largest.  False: everything is as it was. */
bool repair(struct stream_pass *p);

/* Ask the engines for an order, at p->level, of n transactions that come after
 * the order so far: indices of those that count. */
bool repair_propose(const struct stream_pass *p, struct stream_txn *const *txns,
                    size_t n, u32_vec *order);

/* The verdict of the engines about a level of a history, within a budget. */
enum verdict repair_decide(const struct history *h, enum level l,
                           const struct check_options *options);

#endif
