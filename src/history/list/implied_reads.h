/* implied_reads.h -- reads of lists that the reader appended to before.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_IMPLIED_READS_H
#define HISTORY_LIST_IMPLIED_READS_H

#include "history/history.h"

/* Insert the implied reads (history.h), and reject the reads that do not end
 * with what their own transaction appended before.  Called once, by the
 * builder, before resolution.  False where there are too many operations then.
 *
 *   time   O(operations + elements of lists that were read after own appends),
 *          nothing where no list was read */
bool implied_reads_insert(struct history *h, struct err *err);

#endif
