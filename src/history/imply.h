/* imply.h -- lists that a transaction appended to and then read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_IMPLY_H
#define HISTORY_IMPLY_H

#include "history/history.h"

/* Insert the implied reads (history.h), and set reads aside that do not end
 * with what their own transaction appended before.  Called once, by the
 * builder, before resolution.  False where that makes too many operations.
 *
 *   time   O(operations + elements of lists that were read after own appends),
 *          nothing where no list was read */
bool lists_imply(struct history *h, struct err *err);

#endif
