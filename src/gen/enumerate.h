/* enumerate.h -- every small history of registers, each once up to names.
 *
 * Histories come by size: fewest operations first, then fewest transactions,
 * then fewest sessions.  Only histories that can be the smallest with some
 * verdict are made.  Each rule drops an operation that no level depends on, so
 * a smaller history has the same verdicts:
 *
 *   (E1) values are unique.  A level holds if some choice of writers satisfies
 *        it; writing that choice with unique values changes no verdict for the
 *        better;
 *   (E2) every transaction is committed, and a transaction writes a key at most
 *        once and reads no key that it has written: other writes are not final,
 *        and other reads are not external;
 *   (E3) every key has a writer, and operations of two transactions;
 *   (E4) keys are numbered in the order of their first operations, and sessions
 *        do not grow: an earlier one has at least as many operations.
 *
 * With times, every order of beginnings and ends of the transactions is made
 * that respects the sessions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GEN_ENUMERATE_H
#define GEN_ENUMERATE_H

#include "history/history.h"

enum { ENUMERATE_OPS = 8 }; // at most

struct enumerate_options {
    uint32_t ops; // exactly
    bool times;
    bool single; // each session has one transaction
};

/* Called for each history; returns whether to continue.  h is freed after the
 * call. */
typedef bool enumerate_visit(void *self, const struct history *h);

/* Make all histories of that size.  False where a call said to stop. */
bool enumerate_histories(const struct enumerate_options *options,
                         enumerate_visit *visit, void *self);

#endif
