/* input_assignment.h -- who wrote what was read, if the input has the order of
 * commits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOICE_INPUT_ASSIGNMENT_H
#define WEAK_CHOICE_INPUT_ASSIGNMENT_H

#include "history/history.h"

/* Choose for every read with several candidates the last one before it in
 * 'order', or where there is none the first one after it.  Transactions that
 * may count are chosen only where no other candidate comes before the read.
 *
 *   require  'order' has every transaction that counts or may count
 *   time     O(operations) */
void input_assignment_choose(const struct history *h, const u32_vec *order,
                             txn_id *chosen);

#endif
