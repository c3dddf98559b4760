/* counting.h -- which transactions count in an assignment.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOICE_COUNTING_H
#define WEAK_CHOICE_COUNTING_H

#include "weak/writer_assignment.h"

/* Set counts[t] for each transaction that counts under the choices in 'chosen':
 * those that certainly count, and those that a transaction which counts reads
 * from.  For the latter why[t] is such a read; 'why' may be NULL.
 *
 *   time   O(operations), or O(transactions) where none may count */
void counting_find(const struct history *h, const txn_id *chosen,
                   uint8_t *counts, op_id *why);

#endif
