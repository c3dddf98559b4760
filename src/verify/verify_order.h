/* verify_order.h -- an order of points at pc, si, ser and the strict levels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_VERIFY_ORDER_H
#define VERIFY_VERIFY_ORDER_H

#include "evidence/certificate.h"

/* Check that the order of c satisfies its level, by running it.
 *
 *   time   O(n) for n operations */
bool verify_strong_order(const struct history *h, const struct certificate *c,
                         struct err *err);

#endif
