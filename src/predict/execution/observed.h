/* observed.h -- an observed execution, as prediction looks at it.
 *
 * Only what counts is kept: transactions that count, their external reads with
 * the writers they had, and the last write of each key.  Transactions are
 * numbered by session and then in session order, without gaps; reads and
 * writes are numbered over all transactions, in program order within one.
 *
 *   (O1) 'happens before' is session order and reads, closed; it leaves out
 *        the reads of transactions that are looped;
 *   (O2) a transaction is looped when it is on, or behind, a cycle of session
 *        order and reads: no prediction keeps it as it was observed;
 *   (O3) 'order' is a serial order of the execution where is_serial, else one
 *        that respects (O1).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_EXECUTION_OBSERVED_H
#define PREDICT_EXECUTION_OBSERVED_H

#include "base/limits/limit.h"
#include "evidence/certificate.h"
#include "graph/clock.h"

#define OBS_NONE UINT32_MAX
#define OBS_INIT (UINT32_MAX - 1) // the writer of initial values

struct obs_read {
    key_id key;
    uint32_t writer; // a transaction, or OBS_INIT
    uint32_t txn;
    op_id op;
};

struct obs_write {
    key_id key;
    uint32_t txn;
    uint32_t reads_before; // external reads of its transaction before it
    op_id op;
};

struct observed {
    const struct history *h; // borrowed
    uint32_t n, n_sessions, n_keys;
    txn_id *id;        // by transaction: its id in h
    uint32_t *session; // dense
    uint32_t *prev, *next;
    uint32_t *read_first, *write_first; // n + 1 of them
    VEC(struct obs_read) reads;
    VEC(struct obs_write) writes;
    const uint32_t *rows; // by key: the row it is in; NULL: each has its own
    uint32_t *key_first;  // writes of key k, by transaction:
    uint32_t *key_write;  // key_write[key_first[k] .. key_first[k + 1])
    uint8_t *looped;
    size_t n_looped;
    struct chains chains;
    struct clocks clocks;
    bool is_serial;   // the execution is serializable, and 'order' shows it
    bool is_violated; // it is not; neither: a limit was reached
    uint32_t *order;  // all transactions
    uint32_t *place;  // by transaction: where it is in 'order'
};

/* Take h apart.  Fails where it has reads with no certain writer, lists, or no
 * transaction at all. */
bool observed_init(struct observed *o, const struct history *h,
                   const struct limit *limit, struct err *err);
void observed_free(struct observed *o);

/* Whether a happens before b, or is b; OBS_INIT happens before everything. */
static inline bool
observed_before(const struct observed *o, uint32_t a, uint32_t b)
{
    if (a == OBS_INIT || b == OBS_INIT)
        return a == OBS_INIT;
    return clocks_reach(&o->clocks, a, b);
}

/* How many external reads a transaction has. */
static inline uint32_t
observed_reads(const struct observed *o, uint32_t t)
{
    return o->read_first[t + 1] - o->read_first[t];
}

/* The first read and the write of key k by t, or OBS_NONE. */
uint32_t observed_read(const struct observed *o, uint32_t t, key_id k);
uint32_t observed_write(const struct observed *o, uint32_t t, key_id k);

/* The last transaction of session s that writes k and is t or before it in
 * session order, where t is a transaction of s; or OBS_NONE. */
uint32_t observed_last_writer(const struct observed *o, key_id k, uint32_t t);

#endif
