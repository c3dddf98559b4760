/* timed_state.h -- the state of a search for an order in real time: who has
 * committed, which versions there are, and which transactions are open.
 *
 * Commits are undone in the opposite order.
 *
 *   (1) the versions of a key are linked from the latest to the earliest; those
 *       of the last commit are the last ones of 'versions'.
 *   (2) transactions are numbered by their begins.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_TIMED_STATE_H
#define STRONG_ORDER_TIMED_STATE_H

#include "base/container/intmap.h"
#include "strong/order/timed_order.h"

struct timed_version {
    value_id value;
    uint32_t writer;
    uint32_t position; // of the commit, from 1
    uint32_t before;   // 1 + index of the version before it; 0 = INIT's
};

/* A commit, and what else could have been committed there. */
struct timed_level {
    uint32_t committed;
    uint32_t first, n; // of 'choices'
    uint32_t next;     // choice to try
};

struct timed_search {
    const struct history *h;
    enum timed_reads reads;
    struct budget *budget;
    uint32_t n;   // transactions that count
    txn_id *txn;  // (2)
    uint32_t *at; // by transaction of h: its number

    // The list.  Entries 2i and 2i + 1 are begin and end of i; 2n is its head.
    uint32_t *next, *previous;

    uint32_t *writer_first, *writers; // by value: the writers, by number
    uint32_t *position;               // by number: of its commit, or 0
    uint32_t *before; // by number: the one before it in its session, or ID_NONE
    uint32_t commits, deepest;
    uint64_t stalled;                   // steps since 'deepest' rose
    VEC(struct timed_version) versions; // (1)
    uint32_t *latest;                   // by key: 1 + index of its last version
    uint64_t hash;                      // of who has committed, and the state
    struct intmap seen;                 // hashes that were reached by a choice
    VEC(struct timed_level) levels;     // by commit
    u32_vec choices;                    // of all levels
    u32_vec found;                      // choices of the next one
    uint32_t *wanted; // by key: open reads of its value, for 'stamp'
    uint32_t *stamp, now;
    u32_vec damage; // of the choices that are sorted
};

/* Set up the state of s->h before the first commit, for s->reads. */
void timed_state_init(struct timed_search *s);
void timed_state_free(struct timed_search *s);

void timed_state_commit(struct timed_search *s, uint32_t i);
void timed_state_undo(struct timed_search *s, uint32_t i); // the last one

/* Whether a read of value v may have read the version; 0 is INIT's. */
static inline bool
timed_state_holds(const struct timed_search *s, uint32_t version, value_id v)
{
    if (version)
        return s->versions.at[version - 1].value == v;
    if (history_has_several(s->h, v))
        return history_candidates(s->h, v).at[0] == TXN_INIT;
    return history_writer(s->h, v) == TXN_INIT;
}

/* Whether the current state serves the read op. */
static inline bool
timed_state_serves(const struct timed_search *s, op_id op)
{
    return timed_state_holds(s, s->latest[op_key(s->h, op)],
                             s->h->op_value[op]);
}

#endif
