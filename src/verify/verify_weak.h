/* verify_weak.h -- a commit order at rc, ra or cc.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_VERIFY_WEAK_H
#define VERIFY_VERIFY_WEAK_H

#include "evidence/certificate.h"

/* Check that the order of c satisfies its level.
 *
 *   time   near O(n) at rc and ra, O(n k) at cc, for n operations and k
 *          sessions */
bool verify_weak_order(const struct history *h, const struct certificate *c,
                       struct err *err);

#endif
