/* tested.h -- whether a history tests anything at all.
 *
 * Every level is about committed transactions, and a transaction without an
 * operation satisfies every level.  So a history in which no committed
 * transaction has an operation satisfies every level, whatever the database
 * did.  Such a history must not look like a test that passed: its verdict is
 * 'unknown', unless it is violated.
 *
 * These transactions test nothing:
 *   - those that record the initial state (TXN_LOADING);
 *   - aborted and indeterminate transactions: with nothing committed, no
 *     transaction of the history can have observed an indeterminate one;
 *   - transactions without an operation; a query that finds no row is one.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_TESTED_H
#define HISTORY_TESTED_H

#include "history/history.h"

/* The reason of the verdict 'unknown', for people. */
#define HISTORY_UNTESTED                                                       \
    "nothing was tested: no committed transaction has an operation"

/* Whether a committed transaction of a resolved history has an operation. */
bool history_is_tested(const struct history *h);

/* How many there are. */
uint64_t history_tested_count(const struct history *h);

/* How many of them have queries only that concern no row.  No operation in
 * memory shows these: a copy of a history takes their number along. */
uint64_t history_lone_queries(const struct history *h);

#endif
