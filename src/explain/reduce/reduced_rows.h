/* reduced_rows.h -- the reduced history as it is given to people, with rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_REDUCE_REDUCED_ROWS_H
#define EXPLAIN_REDUCE_REDUCED_ROWS_H

#include "history/history.h"

/* Make *out the part of h with these n operations, none of a list, in ascending
 * order, and these transactions, which may have none of them, with a log of
 * their rows.  What else has to be there for queries to mean the same comes
 * along.  'count': see subhistory.h.
 *
 *   require  h has a log of rows
 *   time     O(operations of h), as often as something comes along */
bool reduced_rows_make(const struct history *h, const op_id *ops, size_t n,
                       const u32_vec *txns, bool count, struct history *out,
                       struct err *err);

#endif
