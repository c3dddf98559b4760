/* naive_answer.h -- what the registers of a row hold after a version, worked
 * out again from the recording.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_ROWS_NAIVE_ANSWER_H
#define VERIFY_ROWS_NAIVE_ANSWER_H

#include "verify/rows/naive_condition.h"

/* Whether a version satisfies the condition with this text: "v > 5", or "#3"
 * for a name. */
enum naive_truth naive_answer_satisfies(const struct row_log *l,
                                        const char *text, uint32_t content);

/* Whether register k is that of a condition alone; its text then. */
bool naive_answer_is_condition(const struct history *h, key_id k,
                               const char **text);

/* Append what register k holds after a version. */
bool naive_answer_show(const struct history *h, key_id k, uint32_t content,
                       struct buf *out, struct err *err);

/* What an operation wrote or read, as text. */
const char *naive_answer_text(const struct history *h, op_id op);

#endif
