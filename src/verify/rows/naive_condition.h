/* naive_condition.h -- the value of a condition, straight from its text.
 *
 * For the verifier: slow and obvious, and no code shared with
 * history/row/predicate.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_ROWS_NAIVE_CONDITION_H
#define VERIFY_ROWS_NAIVE_CONDITION_H

#include "history/row/row_log.h"

enum naive_truth { NAIVE_FALSE, NAIVE_TRUE, NAIVE_UNKNOWN, NAIVE_MISTAKE };

/* The value of the text on the values of a row; MISTAKE where it has none. */
enum naive_truth naive_condition(const struct row_log *l, const char *text,
                                 uint32_t content);

#endif
