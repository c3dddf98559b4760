/* redaction.h -- a history without its data, to be shown to others.
 *
 * Every key, value, parameter and literal becomes "#" and a number; equal ones
 * have the same number.  Null stays, because it is the initial state, and so do
 * names of sessions, transactions, tables and columns, outcomes, times and
 * names of versions that are numbers.  So every verdict stays the same.
 *
 * Numbers are given in the order of the history, and nothing is calculated from
 * the data: who has the result alone cannot guess a value and compare.
 *
 * A condition that Assay evaluates itself ("where": "v > 5") needs the values,
 * so such a history is refused.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_REDACTION_H
#define PIPELINE_REDACTION_H

#include "base/err.h"
#include "history/history.h"

/* Write a history as jsonl without its data to the file 'path', or '-'. */
bool redaction_write(const struct history *h, const char *path,
                     struct err *err);

/* The same for a file that holds a history in any format; the file is replaced.
 */
bool redaction_replace(const char *path, struct err *err);

#endif
