/* suggested_reading.h -- weak levels decided by the reading that an order
 * suggests, such as that of the input.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOICE_SUGGESTED_READING_H
#define WEAK_CHOICE_SUGGESTED_READING_H

#include "weak/weak.h"

/* What is done where the order itself is no commit order of its reading:
 * what depends on no choice is refuted, if it can be; and all edges of the
 * reading are sorted, which takes longer. */
enum {
    SUGGESTED_REFUTE = 1,
    SUGGESTED_SORT = 2,
    SUGGESTED_ALL = SUGGESTED_REFUTE | SUGGESTED_SORT,
};

/* Try to decide c->level by the reading that 'order' suggests; true where that
 * is the answer.
 *
 *   require  'order' has every transaction that counts or may count */
bool suggested_reading_try(const struct history *h, const u32_vec *order,
                           unsigned steps, const struct weak_options *o,
                           struct certificate *c, struct weak_stats *stats);

/* Make c the certificate of the reading that holds; c->order is its order. */
void suggested_reading_conclude(const struct history *h, const txn_id *chosen,
                                const uint8_t *counts, struct certificate *c);

#endif
