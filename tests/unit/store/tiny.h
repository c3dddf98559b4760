/* tiny.h -- tiny programs, run on the store, and what levels say about them by
 * the letter.
 *
 * A program is a few transactions of a few sessions whose operations are fixed.
 * What a run of it did is which transaction each external read read from, so
 * runs can be compared, counted, and enumerated without running anything.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_STORE_TINY_H
#define TEST_STORE_TINY_H

#include "base/random.h"
#include "store/policy.h"
#include "store/store.h"

enum { TINY_TXNS = 6, TINY_OPS = 4, TINY_SESSIONS = 4, TINY_KEYS = 3 };
enum { TINY_INIT = TINY_TXNS, TINY_OWN }; // beside 0..n_txns-1, in 'from'

struct tiny_op {
    bool is_write;
    uint8_t key;
};

struct tiny_txn {
    uint8_t session; // ascending over the transactions of a program
    uint8_t n_ops;
    struct tiny_op ops[TINY_OPS];
};

struct tiny {
    uint8_t n_txns;
    struct tiny_txn txns[TINY_TXNS];
};

struct tiny_run {
    bool committed[TINY_TXNS];
    uint8_t from[TINY_TXNS][TINY_OPS]; // of reads; 0 for writes
};

/* A program of n transactions, each op a read with that probability. */
void tiny_random(struct tiny *p, unsigned n, unsigned keys, double reads,
                 struct random *r);

/* Run p on a fresh store of that level, sessions interleaved at random. */
void tiny_execute(const struct tiny *p, enum level level, uint32_t window,
                  double fresh, uint64_t seed, struct tiny_run *out);

/* Whether some order of the committed transactions satisfies the level. */
bool tiny_allowed(const struct tiny *p, const struct tiny_run *run,
                  enum level level);

#endif
