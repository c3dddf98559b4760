/* random_history.h -- small random histories for the model tests.
 *
 * A toy store is simulated: sessions take turns operation by operation, and a
 * store of one of several strengths, from serial to careless, answers.  Then
 * some reads are changed.  So about half of the histories hold at each level,
 * and those that do not fail in many ways.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_RANDOM_HISTORY_H
#define MODEL_RANDOM_HISTORY_H

#include "history/history.h"

/* Percentages are of the obvious whole; 0 leaves the feature out. */
struct random_shape {
    uint32_t sessions, txns, ops, keys; // at most; at least one each
    uint32_t values;        // 0: every write is unique; else 1..values
    uint32_t reads;         // percent of operations
    uint32_t aborted;       // percent of transactions
    uint32_t indeterminate; // percent of transactions
    uint32_t initial;       // percent of writes that write the initial value
    uint32_t loading;       // percent of histories with a loading transaction
    uint32_t changed;       // percent of histories with changed reads
    bool lists;             // keys are lists, writes append
    bool times;             // transactions carry times
};

enum {
    RANDOM_SESSIONS = 16, // limits of the shape
    RANDOM_TXNS = 512,
    RANDOM_OPS = 16,
    RANDOM_KEYS = 64
};

/* A shape for tiny histories, itself drawn at random from the seed: unique or
 * duplicate values, with or without each of the features above (lists and
 * times excepted, which the caller sets). */
struct random_shape random_tiny_shape(uint64_t seed, uint32_t txns);

/* Make the history of that shape and seed; the same for the same arguments. */
void random_history(const struct random_shape *shape, uint64_t seed,
                    struct history *h);

#endif
