/* policy.h -- which version is read, and where a commit is placed, where the
 * level leaves a choice.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STORE_POLICY_H
#define STORE_POLICY_H

#include "base/container/vec.h"
#include "base/random.h"
#include "store/store.h"

/* A read: n versions may be returned, oldest first in the commit order. */
struct store_read_choice {
    uint32_t session, index; // of the reader
    const char *key;
    size_t key_len;
    const struct store_writer *writers;
    size_t n;
};

/* A commit: the transaction may come to stand in front of the i-th of the
 * committed transactions that are remembered, low <= i <= high = their number.
 */
struct store_place_choice {
    uint32_t session, index;
    size_t low, high;
    const struct store_writer *order; // 'high' transactions, oldest first
};

struct store_policy {
    void *self;
    /* The number of the version to return, below n. */
    size_t (*read)(void *self, const struct store_read_choice *c);
    /* Where to put it; the store takes the latest place that is possible
     * instead where this one would break what others have read. */
    size_t (*place)(void *self, const struct store_place_choice *c);
};

/* --- always the latest ----------------------------------------------------
 *
 * With level ser this is a store as people expect it. */
extern const struct store_policy store_latest;

/* --- any of them -----------------------------------------------------------
 *
 * With probability 'fresh' the latest, else one of all, with equal chances. */
struct store_chance {
    struct random random;
    double fresh;
    struct store_policy policy; // to pass on
};

void store_chance_init(struct store_chance *c, double fresh, uint64_t seed);

/* --- by a plan --------------------------------------------------------------
 *
 * For executions that were predicted: which version each read returns, and in
 * which order the transactions are to stand.  A read that the plan does not
 * name, or whose planned version the level forbids now, gets the latest one,
 * and is counted. */
struct planned_read {
    const char *key; // borrowed
    size_t key_len;
    struct store_writer writer;
};

struct planned_txn {
    uint32_t session, index; // as in store_writer
    VEC(struct planned_read) reads;
    size_t next; // as many of them have happened
};

struct store_plan {
    VEC(struct planned_txn) txns; // in the planned commit order
    size_t followed, diverged;    // reads so far
    struct store_policy policy;   // to pass on
};

void store_plan_init(struct store_plan *p);
void store_plan_free(struct store_plan *p);

/* Append a transaction to the planned order; then its reads, in its order. */
void store_plan_txn(struct store_plan *p, uint32_t session, uint32_t index);
void store_plan_read(struct store_plan *p, const char *key, size_t len,
                     struct store_writer writer);

#endif
