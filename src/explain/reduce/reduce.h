/* reduce.h -- the smallest part of a history that still violates a level.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_REDUCE_REDUCE_H
#define EXPLAIN_REDUCE_REDUCE_H

#include "check/check.h"

struct reduce_options {
    unsigned threads;
    struct budget *budget; // for asking
    struct strong_options strong;
};

/* A violating part. */
struct reduced {
    struct history h;
    u32_vec origin;  // by transaction of h: which one of the whole it is
    bool unfinished; // some of them were not tried, or without an answer
};

void reduced_free(struct reduced *r);

/* Whether what r says is said of the whole, too: it is consistent, and no
 * transaction has turned into a part of the loading because what it or its
 * session did before is gone.  That would change what others may have read. */
bool reduced_is_proper(const struct history *whole, const struct reduced *r);

/* Of 'levels', those that h violates and those that it holds; where the
 * budget was spent before there was an answer, neither. */
struct judgement {
    level_set violated, holds;
};
struct judgement reduce_judge(const struct history *h, level_set levels,
                              const struct reduce_options *o);

/* Reduce h to a part that violates the level and in which every transaction
 * is needed: without any one of them the level holds.  'core' is where to
 * begin; inconsistent reads are left out.  Where the budget is spent before
 * that is known of every transaction, the part is marked as unfinished.
 *
 * False without an error (err->kind is ERR_NONE) where the core, by itself,
 * does not violate the level, or where the budget did not allow to see that,
 * and then out->unfinished is set.
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

/* Take out operations that do not matter to the violation, in place, as long
 * as the budget lasts. */
bool reduce_ops(const struct history *h, struct reduced *r, enum level level,
                const struct reduce_options *o, struct err *err);

#endif
