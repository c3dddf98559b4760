/* row_text.h -- rows in words.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ROW_ROW_TEXT_H
#define HISTORY_ROW_ROW_TEXT_H

#include "history/history.h"

/* Append the value that a register or a row had in op, the initial one of a
 * row as well. */
void row_text_value(const struct history *h, op_id op, struct buf *out);

/* The condition whose register of a row k is: "v > 5"; NULL where k is no
 * such key. */
const char *row_text_condition(const struct history *h, key_id k);

/* Whether op, which writes such a register, wrote a version that matches. */
bool row_text_matches(const struct history *h, op_id op);

#endif
