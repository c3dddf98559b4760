/* reader_outcomes.h -- indeterminate transactions that reveal an order: they
 * read lists, or wrote versions of rows that name the one before.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_READER_OUTCOMES_H
#define HISTORY_LIST_READER_OUTCOMES_H

#include "history/history.h"

/* Find the indeterminate transactions that reveal an order and may turn out to
 * be a choice (indeterminate.h), and add a row for each to h->authors: with the
 * value VALUE_INIT, and two candidates: the transaction itself, if it counts,
 * and TXN_NONE.  A list that a transaction which counts has read orders all
 * authors of its elements, and a version orders its writer and that of the one
 * before, so both cases are checked separately.  The choice is
 * the one in 'wanted', which has n rows, or else that they do not count.
 *
 * Called once, by the builder, before the authors of elements are chosen.
 *
 *   time   O(operations), where there are orders and indeterminate
 *          transactions; else nothing */
void reader_outcomes_choose(struct history *h, const struct list_author *wanted,
                            size_t n);

static inline bool
reader_outcomes_is(const struct list_author *a)
{
    return a->value == VALUE_INIT;
}

#endif
