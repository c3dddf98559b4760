/* watched_checks_table.h -- unique indexes and foreign keys, from lists of
 * their columns.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_WATCHED_CHECKS_TABLE_H
#define SPEC_ROW_WATCHED_CHECKS_TABLE_H

#include "spec/row/watched.h"

/* Add constraints, of which the answer has a row for each column, those of a
 * constraint after each other:
 *
 *     table, name of the constraint, column,
 *     table that is referred to ("": a unique index), its column,
 *     1 if it is not understood
 *
 * Of those that are not understood, and of those with columns or tables that
 * are not known, the tables note that they are not recorded. */
void watched_checks_take(struct watched *w, const struct result_rows *r);

#endif
