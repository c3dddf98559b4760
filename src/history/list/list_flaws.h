/* list_flaws.h -- reads of lists that no level allows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_LIST_FLAWS_H
#define HISTORY_LIST_LIST_FLAWS_H

#include "history/read_checks.h"

/* Append the flaws of the lists that counting transactions read, one a read
 * and at most 'most' of them, in order of operations; return how many there
 * are in all.
 *
 *   time   O(operations + elements of the orders); where a list is wrong, the
 *          lists of that key are looked at element by element */
size_t list_flaws_find(const struct history *h, size_t most, flaw_vec *out);

/* Append what is wrong with the list, after "T did r(l, [1 2])"; show_txn names
 * transactions. */
void list_flaws_tell(const struct history *h, const struct flaw *f,
                     void (*show_txn)(const struct history *h, txn_id t,
                                      struct buf *out),
                     struct buf *out);

#endif
