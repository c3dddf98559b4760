/* jsonl_rows.h -- operations on rows in a line of 'jsonl', and the line with
 * the rows that there are in the beginning.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JSONL_JSONL_ROWS_H
#define FORMAT_JSONL_JSONL_ROWS_H

#include "format/jsonl/jsonl_entry.h"

/* The operation that begins at 'start', of t: an array. */
bool jsonl_row_op(struct jsonl_scan *r, txn_id t, const char *start);

/* An object with the initial rows. */
bool jsonl_initial(struct jsonl_scan *r);

/* Whether an operation of t on a register or a list has to wait, because t has
 * operations on rows, and then note it. */
static inline bool
jsonl_rows_wait(const struct jsonl_scan *r, txn_id t)
{
    return r->rows && r->rows_txn == t;
}
void jsonl_rows_note(struct jsonl_scan *r, txn_id t,
                     const struct row_other *op);

/* Pass everything on to the builder, when all lines are read. */
bool jsonl_rows_end(struct jsonl_scan *r);

#endif
