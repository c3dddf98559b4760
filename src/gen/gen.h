/* gen.h -- synthetic histories of a given shape.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include "history/history.h"
#include "level/level.h"

enum gen_distribution { GEN_UNIFORM, GEN_ZIPF, GEN_HOTSPOT };

struct gen_shape {
    enum level level; // LEVEL_SER, LEVEL_SI or LEVEL_PC
    uint64_t sessions, transactions, operations, keys;
    enum gen_distribution distribution;
    double theta;      // skew of zipf keys
    double reads;      // share of operations
    double duplicates; // share of writes that draw from a space of values
    uint64_t values;   // the size of that space
    double value_theta;
    uint64_t lag; // how many commits a snapshot is old at most
    uint64_t seed;
    const char *inject; // an anomaly's name, or NULL
    double at;          // where: 0..1
};

/* Make a history of that shape that satisfies shape->level (and the strict
 * level of the same name, by its times), but for the injected anomaly.  The
 * same shape gives the same history. */
bool gen_history(const struct gen_shape *shape, struct history *h,
                 struct err *err);

/* "uniform", "zipf" or "hotspot". */
bool gen_parse_distribution(const char *name, enum gen_distribution *out,
                            struct err *err);

#endif
