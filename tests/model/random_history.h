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

#include "record.h"

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
    uint32_t lists;         // percent of keys that are lists
    uint32_t repeats;       // percent of appends whose element is not new
    uint32_t damaged;       // percent of histories with damaged lists
    bool plain_lists;       // a transaction appends to a list at most once, and
                            // does not read it afterwards
    bool times;             // transactions carry times
};

enum {
    RANDOM_SESSIONS = 16, // limits of the shape
    RANDOM_TXNS = 512,
    RANDOM_OPS = 16,
    RANDOM_KEYS = 64
};

/* A shape for tiny histories of registers, itself drawn at random from the
 * seed: unique or repeated values, with or without each of the features above
 * (times excepted, which the caller sets), but not both indeterminate
 * transactions and repeated values. */
struct random_shape random_tiny_shape(uint64_t seed, uint32_t txns);

/* The same with many indeterminate transactions and few different values. */
struct random_shape random_optional_shape(uint64_t seed, uint32_t txns);

/* The same with lists that nobody can have misread: at most one append to a key
 * in a transaction, no reads of it afterwards, nothing indeterminate. */
struct random_shape random_plain_list_shape(uint64_t seed, uint32_t txns);

/* The same with lists: several appends in a transaction, own reads, aborted
 * and indeterminate appends, sometimes repeated elements, sometimes damage,
 * sometimes registers beside them. */
struct random_shape random_list_shape(uint64_t seed, uint32_t txns);

/* One of "plain", "optional" and "lists" by name, of up to eight transactions,
 * a third of them with times; see test_truth.c. */
struct random_shape random_shape_of_kind(const char *kind, uint64_t seed);

/* Make the record of that shape and seed; the same for the same arguments. */
void random_record(const struct random_shape *shape, uint64_t seed,
                   struct record *r);

/* The same as the engines see it. */
void random_history(const struct random_shape *shape, uint64_t seed,
                    struct history *h);

#endif
