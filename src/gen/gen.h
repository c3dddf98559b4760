/* gen.h -- synthetic histories of a given shape.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include "base/random.h"
#include "history/history.h"
#include "level/level.h"

enum gen_distribution {
    GEN_UNIFORM,
    GEN_ZIPF,
    GEN_HOTSPOT, // four of five accesses in a fifth of the keys
    GEN_DISTRIBUTIONS
};

extern const char *const gen_distribution_names[GEN_DISTRIBUTIONS];

/* The order of the transactions in the output. */
enum gen_order {
    GEN_ORDER_COMMIT, // as they commit; a transaction ends when it commits
    GEN_ORDER_END,    // as they end, which is a while after they commit
    GEN_ORDER_LISTED, // one session after the other, with the same times
    GEN_ORDERS
};

extern const char *const gen_order_names[GEN_ORDERS];

// The levels that histories can be made for.
#define GEN_LEVELS level_used_by(USED_BY_GEN)

struct gen_shape {
    enum level level;    // of GEN_LEVELS
    bool rows;           // keys are rows of a table
    uint64_t conditions; // rows: on which queries ask
    uint64_t sessions, transactions, operations, keys;
    enum gen_distribution distribution;
    double theta;      // skew of zipf keys
    double reads;      // share of operations
    double duplicates; // share of writes that draw from a space of values
    uint64_t values;   // the size of that space
    double value_theta;
    uint64_t lag; // how many commits a snapshot is old at most
    enum gen_order order;
    uint64_t seed;
    const char *inject; // an anomaly's name, or NULL
    double at;          // where: 0..1
};

/* Make a history of that shape that satisfies shape->level (and the strict
 * level of the same name, by its times), but for the injected anomaly.  The
 * same shape gives the same history. */
bool gen_history(const struct gen_shape *shape, struct history *h,
                 struct err *err);

/* The distribution of that name; false where there is none. */
bool gen_parse_distribution(const char *name, enum gen_distribution *out);

/* The order of that name; false where there is none. */
bool gen_parse_order(const char *name, enum gen_order *out);

/* Draw a key below 'keys'; 'zipf' is for GEN_ZIPF. */
uint64_t gen_draw_key(enum gen_distribution distribution, uint64_t keys,
                      struct zipf *zipf, struct random *random);

#endif
