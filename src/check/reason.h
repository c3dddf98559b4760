/* reason.h -- why a verdict is unknown, or what it leaves out, in words.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_REASON_H
#define CHECK_REASON_H

#include "check/check.h"

/* Say at every level that holds what was not recorded. */
void reason_gaps(const struct history *h, struct check *c);

/* Say which limits were reached. */
void reason_limits(struct check *c);

#endif
