/* reduced_history.h -- the reduced history as it is given to people.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_REDUCE_REDUCED_HISTORY_H
#define EXPLAIN_REDUCE_REDUCED_HISTORY_H

#include "history/history.h"

/* Make *out the part of h with these n operations, in ascending order, and
 * these transactions, which may have none of them, with its lists as they were
 * read: a transaction that appended an element that one of them shows comes
 * along, with all its appends to that key.  Without lists, it has a log of its
 * rows (reduced_rows.h).  'count': see subhistory.h.
 *
 *   time   O(operations of h) */
bool reduced_history_make(const struct history *h, const op_id *ops, size_t n,
                          const u32_vec *txns, bool count, struct history *out,
                          struct err *err);

#endif
