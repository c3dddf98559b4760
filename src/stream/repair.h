/* repair.h -- another order for the transactions around one that does not fit.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_REPAIR_H
#define STREAM_REPAIR_H

#include "stream/pass.h"

/* Take back some transactions before the first one of the queue, and place them
 * and some of the queue in an order that an engine proposes.  The window grows
 * until that succeeds or it is the largest.  False: everything is as it was. */
bool repair(struct stream_pass *p);

/* The verdict of the engines about a level of a history, within a budget. */
enum verdict repair_decide(const struct history *h, enum level l,
                           const struct check_options *options);

#endif
