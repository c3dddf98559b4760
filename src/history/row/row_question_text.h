/* row_question_text.h -- questions about rows and their answers, as text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ROW_ROW_QUESTION_TEXT_H
#define HISTORY_ROW_ROW_QUESTION_TEXT_H

#include "history/row/row_log.h"

#define ALL_COLUMNS SIZE_MAX

/* The answer of a content to what the values of n columns are, and perhaps the
 * name of the version. */
uint32_t row_question_text(struct row_log *l, uint32_t content,
                           const uint32_t *columns, size_t n, bool with_ver);

/* Whether a column is among n of them. */
bool row_question_has(const uint32_t *columns, size_t n, uint32_t column);

#endif
