/* predict.h -- anomalies that did not happen yet.
 *
 * From one observed execution: is there an execution that the same program
 * could also have had under a level, and that no serial order explains?
 * doc/predict.md says exactly what is asked.
 *
 *     struct prediction p;
 *     if (predict(&h, &(struct predict_options){.level = LEVEL_SI, ...}, &p,
 *                 &err)) { ... p.answer ... prediction_free(&p); }
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_PREDICT_H
#define PREDICT_PREDICT_H

#include "base/limits/limit.h"
#include "evidence/absence.h"
#include "predict/database/database_level.h"
#include "predict/execution/execution.h"

// The levels of predictions.
#define PREDICT_LEVELS level_used_by(USED_BY_PREDICT)

enum { PREDICT_ACCEPTED = 2 };

enum predict_answer {
    PREDICT_UNKNOWN, // 0: a result that nothing was written to claims nothing
    PREDICT_FOUND,
    PREDICT_NONE,
    PREDICT_DECLINED, // there are some, but 'accept' took none that was tried
};

struct predict_options {
    enum level level; // rc, ra, cc, psi, pc or si
    const struct database_level
        *on;             // what this database allows, instead of the
                         // level, which is rc; or NULL.  Not strict
    bool is_strict;      // a boundary transaction ends with its changed read
    bool is_approximate; // leave out executions that only a case distinction
                         // shows not to be serializable
    bool prove;          // that there is none, where that is so and exact
    size_t most;         // distinct predictions to look for; 0 is 1
    double timeout;      // seconds; 0 = none
    size_t memory;       // bytes; 0 = no limit

    /* By key, the row it is in: at psi and si predictions are preferred that
     * also hold where two writes of a row conflict, and with 'accept' others
     * are declined.  NULL: keys are rows. */
    const uint32_t *rows;

    /* How well a prediction will do, because it was tried: 0 to
     * PREDICT_ACCEPTED.  Where it is less than that, others are looked at, and
     * the best of them is the answer; 0 is none.  May be NULL. */
    unsigned (*accept)(void *self, const struct execution *x);
    void *self;
};

/* What is asked about, as reports call it: "snapshot" or "postgresql:rc"; "si"
 * or the same; "snapshot isolation" or "PostgreSQL at READ COMMITTED". */
static inline const char *
predict_name(const struct predict_options *o)
{
    return o->on ? o->on->name : level_table[o->level].name;
}

static inline const char *
predict_brief(const struct predict_options *o)
{
    return o->on ? o->on->name : level_table[o->level].brief;
}

static inline const char *
predict_title(const struct predict_options *o)
{
    return o->on ? o->on->title : level_table[o->level].title;
}

/* What the search cost. */
struct predict_stats {
    uint64_t rounds, cores, orders;
    uint64_t boundaries, picks, variables;
    uint64_t decisions, propagations, conflicts;
};

/* One predicted execution. */
struct predicted {
    struct execution execution;
    struct history history; // the same, as a person reads it
    uint32_t boundaries, changed, txns;
    bool is_replay; // every changed read returns the value that was observed
    // psi and si: the level does not hold if boundary transactions go on to
    // write what they were observed to write, or if rows count as keys
    bool is_conditional;
    // strict, psi and si: a boundary transaction that goes on to write this key
    // as observed would not be valid any more; ID_NONE: it may
    key_id must_not_write;
    // For a database: transactions were recorded without their statements, so
    // what they lock is not known.
    bool is_open;
    u32_vec schedule; // for a database: the moments (database/database_level.h)
    struct buf signature; // the same for predictions of the same anomaly
};

struct prediction {
    enum predict_answer answer;
    struct observed observed;
    VEC(struct predicted) found; // highest score first; DECLINED: the best one
    bool is_declined;            // and that one was not accepted
    size_t declined;             // predictions that were tried and not accepted
    size_t declined_conditional; // of these, on a condition
    size_t similar;              // others with a signature that is in 'found'
    bool is_cut_short;           // a limit ended the search for more
    bool is_untested;            // UNKNOWN: see history/tested.h
    struct predict_stats stats;
    struct absence absence; // NONE, where it was to be proved: the evidence
    double seconds;         // CPU; of the search
    double prove_seconds, verify_seconds;
};

/* Predict from h, which must outlive the prediction.  Every execution that is
 * found was checked: it satisfies the level, is not serializable, and both were
 * verified.  So was the evidence that there is none.
 *
 *   require  options->level is one of the six */
bool predict(const struct history *h, const struct predict_options *options,
             struct prediction *out, struct err *err);
void prediction_free(struct prediction *p);
void predicted_free(struct predicted *p); // one of them

#endif
