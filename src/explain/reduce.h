/* reduce.h -- the smallest part of a history that still violates a level.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_REDUCE_H
#define EXPLAIN_REDUCE_H

#include "check/check.h"

struct reduce_options {
    unsigned threads;
    double timeout; // of one question to an engine; 0 = none
    struct strong_options strong;
};

/* A violating part. */
struct reduced {
    struct history h;
    u32_vec origin; // by transaction of h: which one of the whole it is
};

void reduced_free(struct reduced *r);

/* Whether h, which has no inconsistent reads, violates the level. */
bool reduce_violates(const struct history *h, enum level level,
                     const struct reduce_options *o);

/* The levels of 'levels' that h violates. */
level_set reduce_violated(const struct history *h, level_set levels,
                          const struct reduce_options *o);

/* Reduce h to a part that violates the level and in which every transaction
 * is needed: without any one of them the level holds.  'core' is where to
 * begin; inconsistent reads are left out.
 *
 * False without an error (err->kind is ERR_NONE) where the core, by itself,
 * does not violate the level.
 *
 *   time   as many calls of an engine as the core has transactions, at most;
 *          each on a part of it */
bool reduce_txns(const struct history *h, const u32_vec *core, enum level level,
                 const struct reduce_options *o, struct reduced *out,
                 struct err *err);

/* Look for violations with fewer transactions than r, a result of reduce_txns:
 * what is minimal need not be smallest, and the way around any one transaction
 * may be shorter.  'core' is where to look: everything, or much of it.
 *
 *   time   as many reductions of the core as r has transactions, and more where
 *          that helps */
bool reduce_further(const struct history *h, const u32_vec *core,
                    enum level level, const struct reduce_options *o,
                    struct reduced *r, struct err *err);

/* Take out operations that do not matter to the violation, in place. */
bool reduce_ops(struct reduced *r, enum level level,
                const struct reduce_options *o, struct err *err);

#endif
