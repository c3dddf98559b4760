/* timed_order.h -- an order of commits that respects real time, found by
 * running the history.
 *
 * Where begins and ends are known, few transactions are open at a time, and one
 * of them commits next.  So a search that runs the history, with a set of the
 * states that it has seen, decides in each state among a few.  This is how
 * checkers of linearizability work (J. M. Wing and C. Gong, "Testing and
 * verifying concurrent objects", 1993; G. Lowe, "Testing for linearizability",
 * 2017), with whole transactions in place of single operations.
 *
 * Databases mostly respect real time, also where the level does not ask for it.
 * An order that is found this way is an order of the history; that none is
 * found says nothing.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_TIMED_ORDER_H
#define STRONG_ORDER_TIMED_ORDER_H

#include "base/limits/budget.h"
#include "history/history.h"

/* What an open transaction may have read. */
enum timed_reads {
    TIMED_SERIAL,   // what was committed right before it
    TIMED_SNAPSHOT, // a snapshot after which no other writer of its keys
                    // committed (si)
    TIMED_PREFIX,   // any snapshot since the last commit of its session (pc)
};

/* Look for an order of all transactions that count.  True with their commits in
 * *order, which is to be checked: input_order_try_given.
 *
 *   require  h is resolved, has times, and has no lists
 *   time     the steps of the budget, and a sort */
bool timed_order_find(const struct history *h, enum timed_reads reads,
                      struct budget *budget, u32_vec *order);

#endif
