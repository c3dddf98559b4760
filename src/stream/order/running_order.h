/* running_order.h -- an order of commits that grows at its end.
 *
 * Transactions are placed one after the other.  A transaction is placed only if
 * its reads are served as the level demands, given the order so far.  So the
 * transactions that were placed, in the order of their places, satisfy the
 * level; this is the only code that an 'ok' of a stream rests on.
 *
 * The state is the current version of every key, and a window: the transactions
 * placed last, with the versions that they made.  The last ones can be taken
 * back.
 *
 *   (O1) places and versions are numbered from 1 and never reused, except for
 *        those that were taken back; a later place has later versions;
 *   (O2) the window holds the transactions at places base + 1 .. n, and exactly
 *        their versions;
 *   (O3) places rise within a session, and a transaction is placed after every
 *        transaction that it reads from;
 *   (O4) a read whose version is neither current nor in the window is not
 *        served: then nothing follows.
 *
 * Why it is sound, level by level (doc/design/scale.md has the proofs):
 *   ser   every read is of the current version: this is a serial run;
 *   si, pc  some snapshot between 'low' and 'high' serves all reads (the order
 *         of commits being fixed, snapshots are independent of each other);
 *   rc, ra, cc  no transaction that overwrote what was read before the reader's
 *         place satisfies the premise of the level;
 *   strict  nothing is placed that ended before one placed earlier began.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_RUNNING_ORDER_H
#define STREAM_ORDER_RUNNING_ORDER_H

#include "level/level.h"
#include "stream/input/txn.h"
#include "stream/verify/order_file.h"

struct placed_version {
    uint64_t value, before_value; // bits of atoms
    uint64_t before;              // the version that it overwrote; 0: initial
    uint64_t place;
    uint8_t tag, before_tag;
};

struct key_state {
    uint64_t value, version; // the current one; version 0: initial
    uint8_t tag;
};

struct session_state {
    uint64_t place, position; // of its last transaction; 0: none
};

/* A transaction that overwrote what a read saw. */
struct overwriter {
    uint32_t op;
    uint64_t place;
};

struct running_order {
    struct stream_names *names;
    size_t window; // transactions that can be taken back
    VEC(struct key_state) keys;
    VEC(struct session_state) sessions;

    struct stream_txn **placed; // ring, by place
    uint64_t n, base, mask;
    struct placed_version *versions; // ring, by number
    uint64_t n_versions, base_version, version_mask;
    int64_t latest_begin;     // of those placed
    struct order_writer *out; // gets the order as it becomes final; or NULL

    VEC(struct overwriter) passed; // of the transaction at hand
    uint64_t *seen, *marked;       // by place: stamps of a search
    uint64_t stamp;
    u64_vec todo;
};

void running_order_init(struct running_order *o, struct stream_names *names,
                        size_t window);
void running_order_free(struct running_order *o);

/* Place t at the end, if the level then holds of all that are placed; the order
 * owns t then. */
bool running_order_place(struct running_order *o, struct stream_txn *t,
                         enum level l);

/* Take back the last one; the caller owns it. */
struct stream_txn *running_order_take_back(struct running_order *o);

/* Place again what was taken back last: the order is as it was before. */
void running_order_put_back(struct running_order *o, struct stream_txn *t);

/* Write the state, or read it into an order that is empty.  What was placed
 * stays placed, with the first place of the window as place 1. */
void running_order_archive(struct running_order *o, struct archive *a);

/* The place of the latest version in the window that has the value that op
 * read, and that of the current version of its key; false where there is none.
 */
bool running_order_find(const struct running_order *o,
                        const struct stream_op *op, uint64_t *place,
                        uint64_t *last);

/* Write the places of the window to o->out: the order is complete. */
void running_order_write_rest(const struct running_order *o);

/* The transaction at a place of the window. */
static inline const struct stream_txn *
running_order_at(const struct running_order *o, uint64_t place)
{
    assert(place > o->base && place <= o->n);
    return o->placed[place & o->mask];
}

/* Find the version of each external read of t, which is not placed; false where
 * one is not in the window. */
bool running_order_resolve(struct running_order *o, struct stream_txn *t);

/* A version of the window; NULL: an older one. */
static inline const struct placed_version *
running_order_version(const struct running_order *o, uint64_t v)
{
    assert(v <= o->n_versions);
    return v > o->base_version ? &o->versions[v & o->version_mask] : NULL;
}

/* How many can be taken back. */
static inline uint64_t
running_order_depth(const struct running_order *o)
{
    return o->n - o->base;
}

/* The current value of a key. */
struct atom running_order_value(const struct running_order *o, uint32_t key);

/* Pass all values that are in use to names_keep. */
void running_order_keep_names(struct running_order *o,
                              struct names_collection *c);

#endif
