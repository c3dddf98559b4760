/* row_merges.h -- rows that two transactions updated in different columns.
 *
 * DuckDB lets both of them commit and puts the two together.  The row that is
 * left is a version that neither transaction has seen, so a history of versions
 * would be wrong: it would tell of a lost update where nothing is lost.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_MERGES_H
#define SPEC_ROW_ROW_MERGES_H

#include "spec/row/row_history.h"

/* The table of a row that was put together, or WATCHED_NONE.  *loses: the
 * database has dropped one of two such updates instead, as the final state
 * shows.  An update keeps the columns that it does not name, so both have read
 * the version that they replaced, and the history tells of a lost update. */
uint32_t row_merges_find(const struct row_history *h, bool *loses);

#endif
