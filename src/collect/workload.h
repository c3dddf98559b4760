/* workload.h -- what sessions do: random transactions from a seed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_WORKLOAD_H
#define COLLECT_WORKLOAD_H

#include "app/app.h"
#include "base/container/vec.h"
#include "base/err.h"
#include "base/random.h"
#include "driver/driver.h"
#include "gen/gen.h"

enum step_kind { STEP_READ, STEP_WRITE, STEP_APPEND, STEP_READ_LIST };

struct workload_step {
    enum step_kind kind;
    uint64_t key;
    int64_t value; // of a write or an append
};

typedef VEC(struct workload_step) step_vec;

struct workload;

/* A kind of workload: how the next transaction is drawn. */
struct workload_kind {
    const char *name, *help;
    bool has_lists;
    bool reads_all; // a transaction reads all keys, so they are few
    void (*draw)(struct workload *w, bool reads_only, step_vec *out);
};

extern const struct workload_kind
    workload_table[]; // ends with one without name

const struct workload_kind *workload_find(const char *name);

struct workload_shape {
    const struct workload_kind *kind; // NULL for an application
    const struct app *app;
    enum key_kind lists; // how lists are kept
    uint64_t sessions, operations, keys;
    enum gen_distribution distribution;
    double theta;      // skew of zipf keys
    double reads;      // share of operations, or transactions, that read
    double duplicates; // share of writes whose value may repeat
    uint64_t values;   // how many values may repeat
    double value_theta;
    double aborts;   // share of transactions that are rolled back at their end
    unsigned access; // a set of enum driver_access, one of which each operation
                     // draws; 0: by the key
    bool sorted;     // the operations of a transaction are in order of keys
    uint64_t seed;
};

/* How many keys the workload uses. */
uint64_t workload_keys(const struct workload_shape *shape);

/* The workload of one session.  It depends only on the shape and the session,
 * not on other sessions. */
struct workload {
    const struct workload_shape *shape; // borrowed
    struct random random;
    struct zipf keys, values;
    uint64_t session, written; // writes so far
};

/* The random numbers of a session. */
void workload_seed(struct random *r, uint64_t seed, uint64_t session);

void workload_init(struct workload *w, const struct workload_shape *shape,
                   uint64_t session);

/* Draw the next transaction; return whether it is to be rolled back.  With
 * 'reads_only' it has no writes. */
bool workload_next(struct workload *w, bool reads_only, step_vec *out);

#endif
