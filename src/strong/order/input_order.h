/* input_order.h -- the order of the recording, tried first.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_INPUT_ORDER_H
#define STRONG_ORDER_INPUT_ORDER_H

#include "evidence/certificate.h"

/* Whether the transactions, committed in the order of the input or of their
 * ends, satisfy c->level.  If so, c becomes the certificate; if not, c stays as
 * it is, and nothing follows: another order may do.
 *
 *   require  h is resolved; c claims nothing; c->level is a strong level
 *   time     O(operations), and a sort of the ends; an order is given up at
 *            the first transaction that does not fit */
bool input_order_try(const struct history *h, struct certificate *c);

/* The same for an order that is given: order[0 .. n) has all transactions that
 * count, and may have others.
 *
 *   require  h has no lists */
bool input_order_try_given(const struct history *h, const txn_id *order,
                           uint32_t n, struct certificate *c);

/* The same for the commits of an order that satisfies a stronger level. */
bool input_order_try_commits(const struct history *h,
                             const struct certificate *stronger,
                             struct certificate *c);

#endif
