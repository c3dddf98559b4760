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

enum step_kind {
    STEP_READ,
    STEP_WRITE,
    STEP_APPEND,
    STEP_READ_LIST,
    // The others are on rows; see collect/items/item_step.h.
    STEP_ITEM_READ,
    STEP_ITEM_QUERY,
    STEP_ITEM_INSERT,
    STEP_ITEM_UPSERT,
    STEP_ITEM_UPDATE,
    STEP_ITEM_DELETE,
    STEP_ITEM_UPDATE_WHERE,
    STEP_ITEM_DELETE_WHERE,
    STEP_SAVEPOINT,
    STEP_ROLLBACK_TO,
    STEP_KINDS
};

/* The rows that a step is about, if it is not about one key. */
enum item_where {
    ITEMS_OF_GROUP, // those whose group is 'key'
    ITEMS_OF_BLOCK, // those whose keys are in the block of 'key'
    ITEMS_ALL
};

/* Whether a step is left out, by what the last query of the transaction
 * returned. */
enum item_when { ITEM_ALWAYS, ITEM_IF_FEW, ITEM_IF_MANY };

enum item_lock { ITEM_NO_LOCK, ITEM_FOR_UPDATE, ITEM_FOR_SHARE };

struct workload_step {
    enum step_kind kind;
    uint64_t key;
    int64_t value; // of a write or an append
    // For rows:
    uint64_t group; // that a write assigns
    enum item_where where;
    enum item_when when;
    enum item_lock lock;
};

typedef VEC(struct workload_step) step_vec;

struct workload;

/* A kind of workload: how the next transaction is drawn. */
struct workload_kind {
    const char *name, *help;
    bool has_lists;
    bool has_items; // its data are rows, which come and go
    bool reads_all; // a transaction reads all keys, so they are few
    void (*draw)(struct workload *w, bool reads_only, step_vec *out);
};

extern const struct workload_kind
    workload_table[]; // ends with one without name

const struct workload_kind *workload_find(const char *name);

/* What transactions on rows make use of, where the database has it. */
enum workload_feature {
    FEATURE_FOR_UPDATE,
    FEATURE_FOR_SHARE,
    FEATURE_SAVEPOINTS,
    FEATURE_READ_ONLY,
    FEATURE_LONG,
    FEATURE_AUTOCOMMIT,
    FEATURES
};

extern const char *const workload_feature_names[FEATURES]; // "for-update"

/* Parse names that are separated by commas, as a set of bits. */
bool workload_features_parse(const char *text, unsigned *out);

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
    bool pairs;      // sessions run in pairs, on the same two keys
    unsigned features; // a set of enum workload_feature
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
    uint64_t txns;             // transactions so far
    struct random shared;      // the same in both sessions of a pair
    uint64_t focus[2];         // the keys of a pair's transaction
    bool is_autocommit;        // the transaction is one statement by itself
    bool is_read_only;         // it is declared to read only
};

/* The random numbers of a session. */
void workload_seed(struct random *r, uint64_t seed, uint64_t session);

void workload_init(struct workload *w, const struct workload_shape *shape,
                   uint64_t session);

/* For kinds of workload: a key by the shape's distribution, a value that no
 * other write has, and whether an operation is a read. */
uint64_t workload_draw_key(struct workload *w);
int64_t workload_draw_value(struct workload *w);
bool workload_draw_read(struct workload *w);

/* Draw the next transaction; return whether it is to be rolled back.  With
 * 'reads_only' it has no writes. */
bool workload_next(struct workload *w, bool reads_only, step_vec *out);

#endif
