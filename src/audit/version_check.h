/* version_check.h -- statements that check a column which was read before.
 *
 * Optimistic locking: UPDATE account SET balance = 70, version = 4 WHERE id = 1
 * AND version = 3.  In a trial the transaction sees an older row; the
 * application would then send the older version, and the statement would change
 * nothing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef AUDIT_VERSION_CHECK_H
#define AUDIT_VERSION_CHECK_H

#include "audit/sent.h"

/* The column of a row as JSON text, unquoted; false if there is none. */
bool version_check_column(const char *row, const char *column, struct buf *out);

/* In a statement that sets or deletes: where its condition compares a column
 * with the value that it has in 'observed', and which differs in 'predicted',
 * put the latter; whether there is such a condition.  Only columns that the
 * statement sets count, any if it deletes. */
bool version_check_adapt(struct sent *s, const char *observed,
                         const char *predicted, struct arena *arena);

#endif
