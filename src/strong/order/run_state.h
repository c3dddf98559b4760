/* run_state.h -- the state of a history that runs point by point.
 *
 * A start reads and a commit writes.  A point may run when everything that must
 * precede it has run, its reads find what they saw, and its writes do not
 * overwrite what a later read still needs:
 *
 *   - a version whose readers are known and have not all started;
 *   - the last version with some value: no transaction that is still to commit
 *     writes the value again, and an ambiguous read of it is still to start.
 *
 * Points of open transactions need not run.  If the commit of one runs, the
 * transaction counts, and then none of its followers has started yet.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_RUN_STATE_H
#define STRONG_ORDER_RUN_STATE_H

#include "depend/dependencies.h"

struct run_state {
    const struct dependencies *p;
    uint32_t *missing;      // by point: predecessors that have not run
    uint32_t *front;        // by chain: its next point
    version_id *now;        // by key: the current version
    dense_id *locked;       // by key: who holds it, where writers are separate
    uint32_t *known_left;   // by version: readers that have not started
    uint32_t *unknown_left; // by value: ambiguous reads to come
    uint32_t *writers_left; // by value: writes to come
    uint64_t hash;          // of what has run and what is current
    uint32_t left;          // points to come that have to run
    u32_vec overwritten;    // versions, for undoing
};

void run_state_init(struct run_state *s, const struct dependencies *p);
void run_state_free(struct run_state *s);

/* Assert that nothing has run and that all counters are as at the beginning. */
void run_state_check_initial(const struct run_state *s);

/* Whether the point has run, as the next of its chain. */
static inline bool
run_state_has_run(const struct run_state *s, uint32_t point)
{
    assert(point < s->p->g.n);
    return s->front[s->p->g.seat[point].chain] > point;
}

/* Whether the point is the commit of a transaction; where a transaction is one
 * point, it is both its start and its commit. */
static inline bool
run_state_commits(const struct run_state *s, uint32_t point)
{
    return point < depend_txn_points(s->p) &&
           (!s->p->two_points || point % 2 == 1);
}

/* Whether the next point of some chain may run now. */
bool run_state_may_run(const struct run_state *s, uint32_t point);

/* Whether running the point now, which may run, excludes no continuation.  A
 * start that takes no locks and a transaction that only reads are of this
 * kind. */
bool run_state_is_harmless(const struct run_state *s, uint32_t point);

/* Run the next point of some chain; undo the last that ran. */
void run_state_run(struct run_state *s, uint32_t point);
void run_state_undo(struct run_state *s, uint32_t point);

#endif
