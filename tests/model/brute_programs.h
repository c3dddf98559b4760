/* brute_programs.h -- programs by brute force: all executions of a small world.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_BRUTE_PROGRAMS_H
#define MODEL_BRUTE_PROGRAMS_H

#include "base/random.h"
#include "level/level.h"
#include "world.h"

/* How many anomalies a level has, and how many of them have the shape that is
 * said to be enough: one transaction delayed (si, pc) or interrupted (rc). */
struct brute_found {
    uint64_t executions[LEVELS], bad[LEVELS], shaped[LEVELS];
};

/* Run all executions of k transactions at ec, cc, psi, pc and si, each from
 * all initial states.  Where there are more than 'most' combinations of states
 * and transactions, take so many at random. */
void brute_visible(struct world *w, uint32_t k, uint64_t most,
                   struct random *random, struct brute_found *out);

/* The same at rc: whoever is not blocked may run its next statement, or begin
 * it and go on later, also between the rows of an INSERT.  'whole': only what
 * searches look at, statements that are one step unless they have to wait for a
 * row, which is still there afterwards, and read no others.  'shaped' is left
 * as it is. */
void brute_committed(struct world *w, uint32_t k, uint64_t most,
                     struct random *random, bool whole,
                     struct brute_found *out);

/* Whether some delayed execution of at most k transactions, which begins in any
 * state that w has met, is an anomaly, or has a cycle of dependencies: what
 * proofs exclude.  A cycle need not be seen by anybody. */
bool brute_any_delayed(struct world *w, uint32_t k, enum level level,
                       bool cycle);
/* The same for interrupted ones, and for at most 'most' of them. */
bool brute_any_interrupted(struct world *w, uint32_t k, uint64_t most,
                           bool cycle);

/* The members and the initial state number n of all combinations. */
uint64_t brute_combinations(const struct world *w, uint32_t k);
uint32_t brute_combination(const struct world *w, uint32_t k, uint64_t n,
                           uint32_t *members);

#endif
