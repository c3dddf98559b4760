/* state.h -- what the files of the store share; see store.c for the method.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STORE_STATE_H
#define STORE_STATE_H

#include "base/container/strings.h"
#include "base/container/vec.h"
#include "store/policy.h"
#include "store/store.h"

/* A transaction is known by its slot.  BASE stands for everything that came
 * before the transactions remembered. */
typedef uint32_t slot_id;
#define BASE UINT32_MAX

/* A set of slots; all-zero is empty. */
typedef u64_vec slot_set;

struct store_seen {
    uint32_t key;
    slot_id from;
};

struct written {
    uint32_t key;
    char *text;
    size_t n;
};

struct txn {
    struct store_writer name;
    bool is_running, is_committed;
    bool is_frozen;   // its premise must not grow any more (window.c)
    uint32_t place;   // in 'order', once committed
    slot_id previous; // the one before it in its session, or BASE
    slot_id floor;    // the last in the commit order of those it comes after
                      // by session order or because it read from them
    slot_set past;    // ra, cc, psi: transactions it must not miss
    VEC(struct store_seen) reads; // external ones, in program order
    VEC(struct written) writes;   // one per key
};

struct key {
    u32_vec versions; // committed writers remembered, in commit order
    char *text;       // the latest version that is not, or NULL
    size_t n;
    struct store_writer writer; // of that one
};

struct store_session {
    slot_id last;       // committed, or BASE
    uint32_t begun;     // transactions so far
    slot_set committed; // those remembered
};

struct store {
    struct store_options o;
    struct strings names; // of keys
    VEC(struct key) keys;
    VEC(struct store_session) sessions;
    VEC(struct txn) txns; // by slot
    u32_vec unused;       // slots
    u32_vec order;        // committed slots remembered, in commit order
    VEC(struct store_writer) choice; // for policies
    u32_vec legal;                   // slots that 'choice' stands for
    slot_set spare;
};

/* --- sets ------------------------------------------------------------------*/

static inline bool
set_has(const slot_set *s, slot_id i)
{
    return i / 64 < s->n && s->at[i / 64] >> i % 64 & 1;
}

static inline void
set_add(slot_set *s, slot_id i)
{
    while (s->n <= i / 64)
        vec_push(s, 0);
    s->at[i / 64] |= UINT64_C(1) << i % 64;
}

static inline void
set_remove(slot_set *s, slot_id i)
{
    if (i / 64 < s->n)
        s->at[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* Whether s changed. */
static inline bool
set_unite(slot_set *s, const slot_set *other)
{
    bool changed = false;
    while (s->n < other->n)
        vec_push(s, 0);
    for (size_t i = 0; i < other->n; i++) {
        changed = changed || (other->at[i] & ~s->at[i]);
        s->at[i] |= other->at[i];
    }
    return changed;
}

static inline void
set_copy(slot_set *to, const slot_set *from)
{
    vec_clear(to);
    set_unite(to, from);
}

/* --- legal.c ---------------------------------------------------------------*/

/* Make t, which runs, come after 'other': it read from it, or follows it in
 * its session.  Nothing for BASE. */
void legal_add_premise(struct store *s, slot_id t, slot_id other);

/* Whether what t has read is right: it misses nothing that its level says it
 * must not miss. */
bool legal_reads_hold(const struct store *s, slot_id t);

/* Put t, which runs, in front of the place-th committed transaction, if all
 * reads stay legal; else change nothing and return false. */
bool legal_place_txn(struct store *s, slot_id t, size_t place);

/* Where t can stand at the earliest. */
size_t legal_first_place(const struct store *s, slot_id t);

/* --- window.c --------------------------------------------------------------*/

/* Forget old transactions as far as the window says. */
void window_close(struct store *s);

/* Give the slot of a transaction that is not committed back. */
void window_release_slot(struct store *s, slot_id t);

#endif
