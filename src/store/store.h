/* store.h -- an embedded transactional store that is exactly as consistent as
 * an isolation level demands, and no more.
 *
 * Keys and values are text.  Sessions run transactions, interleaved in any
 * way the caller likes; each read may return any version that the level
 * allows, and a policy says which.  So every anomaly that a level permits
 * occurs sooner or later, without a cluster, without faults and without
 * waiting for a race.
 *
 * Not safe for use by several threads at once: callers lock around it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "base/err.h"
#include "level/level.h"

#include <stddef.h>

struct store;
struct store_policy; // store/policy.h

/* A transaction in progress; of no meaning after its commit or abort. */
typedef uint32_t store_txn;

/* Who wrote a version: the index-th transaction that its session began,
 * counting from 0, or none. */
struct store_writer {
    bool is_initial; // the state before all transactions
    uint32_t session, index;
};

struct store_value {
    const char *text; // NULL: no value; valid until the next call
    size_t n;
    bool is_own; // the transaction itself wrote it
    struct store_writer writer;
};

struct store_options {
    enum level level; // rc, ra, cc, pc, psi, si or ser
    // How many committed transactions keep their versions; of older ones only
    // the latest version of each key is left.  0 = all of them, for ever.
    uint32_t window;
    const struct store_policy *policy; // borrowed
};

/* Fails with ERR_USAGE for a level that the store does not offer. */
bool store_new(const struct store_options *o, struct store **out,
               struct err *err);
void store_free(struct store *s);

/* Begin the next transaction of a session, which has none in progress. */
store_txn store_begin(struct store *s, uint32_t session);

/* Read a key.  There is always a version that may be read. */
struct store_value store_read(struct store *s, store_txn t, const char *key,
                              size_t len);

/* Write a key; the last write of a transaction is the one others can see. */
void store_write(struct store *s, store_txn t, const char *key, size_t len,
                 const char *value, size_t n);

/* Commit; or abort and return false where no place in the commit order is
 * left for the transaction.  rc, ra, cc and pc never refuse. */
bool store_commit(struct store *s, store_txn t);
void store_abort(struct store *s, store_txn t);

#endif
