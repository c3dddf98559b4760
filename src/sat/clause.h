/* clause.h -- stored clauses, their watches, and which are thrown away.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SAT_CLAUSE_H
#define SAT_CLAUSE_H

#include "sat/internal.h"

/* Store and watch a clause; its first two literals are watched (S1).
 *
 *   require  n >= 2, and the first two satisfy (S2) */
clause_ref sat_clause_add(struct sat *s, const lit *lits, size_t n, uint32_t id,
                          bool learnt, uint32_t glue);

/* All literals of c are false: watch two that are unassigned first when the
 * solver backtracks. */
void sat_clause_watch_latest(struct sat *s, clause_ref c);

/* Throw away half of the learnt clauses that are not kept for good. */
void sat_clause_reduce(struct sat *s);

#endif
