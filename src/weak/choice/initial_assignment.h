/* initial_assignment.h -- a guess at the order of transactions and at the
 * writers of their reads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOICE_INITIAL_ASSIGNMENT_H
#define WEAK_CHOICE_INITIAL_ASSIGNMENT_H

#include "weak/writer_assignment.h"

/* Append the transactions that count or may count to 'order', trying to make
 * each read see what was written last, and note in chosen[op] (where chosen is
 * not NULL) a candidate for each external read of a value with several writers.
 *
 * It is a guess: only session order is sure to be respected, and what is chosen
 * is a candidate.  False, with 'order' and 'chosen' incomplete, where it takes
 * too long.
 *
 *   time   O(n k) for n operations and k sessions at worst, mostly near O(n) */
bool initial_assignment_guess(const struct history *h, u32_vec *order,
                              txn_id *chosen);

#endif
