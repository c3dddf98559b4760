/* execution_search.h -- looking for one predicted execution.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_EXECUTION_SEARCH_H
#define PREDICT_EXECUTION_SEARCH_H

#include "check/check.h"
#include "predict/database/points.h"
#include "predict/formula/absent.h"
#include "predict/formula/formula.h"
#include "predict/formula/snapshots.h"
#include "predict/predict.h"

struct execution_search {
    const struct observed *o;
    struct formula formula;
    struct snapshots snapshots; // pc and si only
    bool has_snapshots;
    struct points points; // for a database only
    bool has_points;
    u32_vec schedule;         // of the last execution that the database allows
    struct recorder recorder; // where a refutation is to be proved
    bool is_recorded;
    enum level level;
    bool is_approximate;
    struct limit limit;
    struct check_options check;
    struct execution model, small; // what the solver proposes; a part of it
    struct execution trial;
    uint8_t *on;    // by transaction: on a cycle of the model
    uint32_t *slot; // by transaction: where it is put as a boundary one, before
                    // the transaction at that place of the observed order
    u32_vec *readers; // by key: its reads
    struct excerpt part;
    struct origin origin;
    struct predict_stats stats;
};

/* Search at 'level', the one that is asked about or a stronger one.  Where it
 * is stronger, or not all transactions are in the sample, that there is none
 * means nothing. */
void execution_search_init(struct execution_search *s, const struct observed *o,
                           const struct predict_options *options,
                           enum level level, struct sample sample,
                           const struct limit *limit);
void execution_search_free(struct execution_search *s);

/* Find an execution under the assumptions: PREDICT_FOUND with *found,
 * PREDICT_NONE, or PREDICT_UNKNOWN at a limit. */
enum predict_answer execution_search_under(struct execution_search *s,
                                           const lit *assumptions, size_t n,
                                           struct execution *found);

/* The verdict of one level on an execution; where it is violated, the events
 * that this rests on are in s->part; where ser holds, *order gets its
 * transactions in a serial order, unless that is NULL. */
enum verdict execution_search_check(struct execution_search *s,
                                    const struct execution *x, enum level level,
                                    u32_vec *order);

/* Whether the database allows x: the order of its moments is in s->schedule
 * then, and was run.
 *
 *   require  s->has_points, and x is not serializable */
enum verdict execution_search_is_allowed(struct execution_search *s,
                                         const struct execution *x);

/* Whether x satisfies the level and is not serializable. */
bool execution_search_is_prediction(struct execution_search *s,
                                    const struct execution *x);

/* Whether the level also holds if the boundary transactions of x go on to write
 * what they were observed to write, and if rows count as keys. */
bool execution_search_is_unconditional(struct execution_search *s,
                                       const struct execution *x);

/* Exclude what makes an execution conditional (formula.h).
 *
 *   require  the last check was execution_search_is_unconditional, and it was
 * not */
void execution_search_exclude_conditional(struct execution_search *s);

/* Where 'wish' holds, the boundary transactions of x do not change all the
 * reads that they change in x in the same way. */
void execution_search_exclude(struct execution_search *s, uint32_t wish,
                              const struct execution *x);

#endif
