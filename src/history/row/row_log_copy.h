/* row_log_copy.h -- parts of a log in another one.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ROW_ROW_LOG_COPY_H
#define HISTORY_ROW_ROW_LOG_COPY_H

#include "history/row/row_log.h"

/* The row of 'to' with the name of this one, which begins as that does. */
row_id row_log_copy_row(const struct row_log *from, row_id row,
                        struct row_log *to);

/* A copy of a content of this row of 'to', for a read or, with all columns, a
 * version. */
uint32_t row_log_copy_seen(const struct row_log *from, uint32_t content,
                           struct row_log *to);
uint32_t row_log_copy_version(const struct row_log *from, uint32_t content,
                              struct row_log *to, row_id row);

uint32_t row_log_copy_condition(const struct row_log *from, uint32_t condition,
                                struct row_log *to);

/* Let versions that name one before them that is not in the log name none. */
void row_log_drop_prev(struct row_log *l);

#endif
