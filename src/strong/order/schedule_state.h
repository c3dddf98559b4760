/* schedule_state.h -- the store that schedule.c runs a history on.
 *
 * It knows which points have run, which version of each key is current, and who
 * waits on which key.
 *
 *   (S1) state[p] is DONE exactly for the points in out[0 .. n);
 *   (S2) missing[p] is the number of predecessors of p that are not DONE;
 *   (S3) a point of state WAITING, or HALF with a key, is in the list of that
 *        key; lists may also hold points that were tried again since;
 *   (S4) a point of state READY is in 'urgent' or 'ready', one of state HALF in
 *        'half', one of state WAITING in 'blocked'.  Heaps may also hold points
 *        whose state has changed since.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_SCHEDULE_STATE_H
#define STRONG_ORDER_SCHEDULE_STATE_H

#include "graph/rank_heap.h"
#include "strong/infer/inference.h"

enum schedule_point_state {
    STATE_EARLY,   // something that must precede it has not run
    STATE_READY,   // to be tried
    STATE_HALF,    // a start could run, but its commit not right after it
    STATE_WAITING, // running it would break something
    STATE_DONE,
};

/* A point that waits on a key, or did before it was tried again. */
struct schedule_waiter {
    uint32_t point, next;
};

/* A transaction, and the version of a key that it reads. */
struct schedule_own {
    dense_id txn;
    version_id version;
};

struct schedule_state {
    const struct inference *f;
    const struct dependencies *p;
    uint32_t *missing; // by point: predecessors that have not run
    uint8_t *state;    // by point
    VEC(struct schedule_waiter) waiters;
    uint32_t unused;   // of 'waiters': a list, as below
    uint32_t *waiting; // by key: the first of 'waiters', or UINT32_MAX
    version_id *now;   // by key: the current version
    uint32_t *to_come; // by version: readers that have not started
    uint32_t *locked;  // by key, where writers are separate: who holds it
    struct schedule_own *mine; // by key: the last that was tried and reads it
    struct rank_heap urgent, ready, half, blocked;
    uint64_t trials;
    uint32_t *out, n;
    uint32_t left; // points to come that have to run

    // Where transactions are optional:
    uint32_t *place; // by read: 1 + its place in p->ambiguous, or 0
    uint8_t *counting;
};

/* Nothing has run; 'out' receives the points as they run. */
void schedule_state_init(struct schedule_state *s, const struct inference *f,
                         uint32_t *out, uint8_t *counting);
void schedule_state_free(struct schedule_state *s);

/* Assert (S1) and (S2). */
void schedule_state_check(const struct schedule_state *s);

static inline bool
schedule_is_instant(const struct schedule_state *s, uint32_t point)
{
    return point >= depend_txn_points(s->p);
}

static inline bool
schedule_is_start(const struct schedule_state *s, uint32_t point)
{
    return !s->p->two_points || point % 2 == 0;
}

static inline bool
schedule_is_commit(const struct schedule_state *s, uint32_t point)
{
    return !s->p->two_points || point % 2 == 1;
}

/* A key on which the start of t has to wait, or ID_NONE. */
key_id schedule_state_start_waits_on(const struct schedule_state *s,
                                     dense_id t);

/* The same for its commit; 'with_start' where both would run together. */
key_id schedule_state_commit_waits_on(struct schedule_state *s, dense_id t,
                                      bool with_start);

/* Run a point, even if that breaks a read, and wake those that waited for it.
 *
 *   require  all its predecessors have run */
void schedule_state_run(struct schedule_state *s, uint32_t point);

/* Let a point wait as HALF or WAITING, on key k unless that is ID_NONE. */
void schedule_state_wait(struct schedule_state *s, uint32_t point,
                         enum schedule_point_state as, key_id k);

#endif
