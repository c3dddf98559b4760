/* skew.h -- how far the clocks of a stream's recorders are apart.
 *
 * A transaction that reads from another one ended after that one began.  If
 * their times are of two clocks a and b, that bounds the difference of the
 * clocks:
 *
 *     offset(b) - offset(a) <= end of the reader at b - begin of the writer at
 * a
 *
 * A solution of these bounds puts transactions into an order that is close to
 * the true one.  It only ranks transactions: the order is checked as any other.
 *
 *   (C1) offsets are 0 as long as no bound contradicts that;
 *   (C2) old bounds are dropped, because clocks drift.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_SKEW_H
#define STREAM_ORDER_SKEW_H

#include "stream/input/txn.h"

/* A bound on the difference of two clocks. */
struct clock_bound {
    int64_t most;
    bool is_set;
};

/* The last transaction that wrote, or read, a value of some hash. */
struct clock_event {
    uint64_t hash; // 0: none
    int64_t time;
    uint32_t clock;
};

struct skew {
    struct stream_names *names;
    uint32_t n, room;              // clocks; rows of the tables
    bool is_over;                  // there are too many clocks
    bool is_wrong;                 // the offsets contradict a bound
    struct clock_bound *bounds[2]; // by a * room + b: recent, older
    int64_t *offsets;
    struct clock_event *writes, *reads; // by hash
    uint64_t noted;
};

void skew_free(struct skew *c);

/* Take the bounds that t and earlier transactions give. */
void skew_note(struct skew *c, const struct stream_txn *t);

/* What a clock is ahead. */
static inline int64_t
skew_offset(const struct skew *c, uint32_t clock)
{
    return clock < c->n ? c->offsets[clock] : 0;
}

/* Correct the rank of a transaction, whose clock is that much ahead. */
void skew_adjust(struct stream_txn *t, int64_t offset);

/* Compute the offsets again if they contradict a bound.  Whether they changed;
 * then changes[clock], of c->n, are the differences, which the caller frees. */
bool skew_estimate(struct skew *c, int64_t **changes);

#endif
