/* suggested_assignment.h -- weak levels decided by the assignment that an order
 * suggests, such as that of the input.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOICE_SUGGESTED_ASSIGNMENT_H
#define WEAK_CHOICE_SUGGESTED_ASSIGNMENT_H

#include "weak/weak.h"

/* What is done where the order itself is no commit order of its assignment:
 * what depends on no choice is refuted, if it can be; and all edges of the
 * assignment are sorted, which takes longer. */
enum {
    SUGGESTED_REFUTE = 1,
    SUGGESTED_SORT = 2,
    SUGGESTED_ALL = SUGGESTED_REFUTE | SUGGESTED_SORT,
};

/* Try to decide c->level by the assignment that 'order' suggests; true where
 * that is the answer.
 *
 *   require  'order' has every transaction that counts or may count */
bool suggested_assignment_try(const struct history *h, const u32_vec *order,
                              unsigned steps, const struct weak_options *o,
                              struct certificate *c, struct weak_stats *stats);

/* Make c the certificate of the assignment that holds; c->order is its order.
 */
void suggested_assignment_conclude(const struct history *h,
                                   const txn_id *chosen, const uint8_t *counts,
                                   struct certificate *c);

#endif
