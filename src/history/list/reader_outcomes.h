/* reader_outcomes.h -- readers of lists of which nobody knows whether they
 * count.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_READER_OUTCOMES_H
#define HISTORY_LIST_READER_OUTCOMES_H

#include "history/history.h"

/* Find the indeterminate transactions that read lists and may turn out to be a
 * choice (indeterminate.h), and add a row for each to h->authors: with the
 * value VALUE_INIT, and the candidates the transaction itself, for counting,
 * and TXN_NONE.  Lists bind everybody as soon as one that counts has read them,
 * so for these transactions both cases are checked apart.  The choice is the
 * one in 'wanted', which has n rows, or else that they do not count.
 *
 * Called once, by the builder, before the authors of elements are chosen.
 *
 *   time   O(operations), where there are lists and indeterminate transactions;
 *          else nothing */
void reader_outcomes_choose(struct history *h, const struct list_author *wanted,
                            size_t n);

static inline bool
reader_outcomes_is(const struct list_author *a)
{
    return a->value == VALUE_INIT;
}

#endif
