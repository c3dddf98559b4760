/* row_reach.h -- how far a select with a limit looked, and what it skipped.
 *
 * "order by id limit 1" says of the rows before the last one that it returned
 * which of them match, and nothing of those behind.  SKIP LOCKED says nothing
 * of the rows that it saw and did not return.  What was seen is known from a
 * select in the same snapshot, because a row that is locked may be returned in
 * a later version, and at a place that is no longer its own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_REACH_H
#define SPEC_ROW_ROW_REACH_H

#include "spec/row/row_versions.h"

/* Narrow the condition of a query, which has a text, and SQL if that is
 * something else.  False if it holds for all rows that match. */
bool row_reach_narrows(struct row_versions *v, const struct row_note *query,
                       struct row_condition_text *c);

/* Let the conditions of queries that skipped rows hold for none of these. */
void row_reach_skip(struct row_versions *v);

#endif
