/* stronger_level.h -- a level decided by an order of a stronger one.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_STRONGER_LEVEL_H
#define STRONG_STRONGER_LEVEL_H

#include "strong/context.h"

/* Whether h is so small and so ambiguous that a serial order is easier to find
 * than one of any other level, if there is one.
 *
 *   time   O(operations) */
bool stronger_level_suits(const struct history *h);

/* Try to decide out->level, which is pc, psi or si, by a serial order.  The
 * search for one waits, when it does not succeed soon, for brief attempts at
 * the levels below.  True: that is over; *out has a verdict unless the caller's
 * own pause has ended it.
 *
 *   require  stronger_level_suits() */
bool stronger_level_try(const struct history *h,
                        const struct strong_context *context,
                        struct certificate *out);

#endif
