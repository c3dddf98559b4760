/* moved_check.h -- checks an order again after some of its points have moved.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_MOVED_CHECK_H
#define STRONG_ORDER_MOVED_CHECK_H

#include "graph/order.h"
#include "strong/order/order_check.h"

/* Whether moved_check may be used: no read is ambiguous, and no transaction is
 * optional. */
bool moved_check_suits(const struct order_check *a);

/* Check o, whose points o->moved have moved since the last check with 'a'.
 * 'broken' is what that one found and becomes what this one finds, in the same
 * order as order_check_all.
 *
 *   require  moved_check_suits(); the last check was this or order_check_all
 *   time     O(m log m) for m points that moved, reads and writes of their
 *            transactions, and versions that these have passed */
void moved_check(struct order_check *a, struct order *o, broken_vec *broken);

/* Assert that a check of everything finds 'broken', and sorts the same. */
void moved_check_compare(const struct order_check *a, const struct order *o,
                         const broken_vec *broken);

#endif
