/* verify_causal.h -- a commit order at cc.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_VERIFY_CAUSAL_H
#define VERIFY_VERIFY_CAUSAL_H

#include "verify/weak_order.h"

/* Check the reads of the stale transactions of w. */
bool verify_causal(const struct weak_order *w);

#endif
