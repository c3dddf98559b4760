/* row_marks.h -- the writes that are implied by the write of a row.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ROW_ROW_MARKS_H
#define HISTORY_ROW_ROW_MARKS_H

#include "history/history.h"

/* Note the implied writes of rows (history.h).  Called once, by the builder,
 * when the operations have their places.
 *
 *   time   O(operations), nothing where there are no rows */
void row_marks_imply(struct history *h);

#endif
