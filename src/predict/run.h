/* run.h -- what the files share that make a prediction (predict.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_RUN_H
#define PREDICT_RUN_H

#include "predict/execution_search.h"
#include "predict/predict.h"

struct predict_run {
    const struct predict_options *options;
    struct prediction *out;
    struct limit limit;
    struct execution_search search;
    uint32_t untried;       // of its formula: that it is none of those that the
                            // caller declined; VAR_NONE: he is not asked
    bool takes_conditional; // predictions on a condition are tried as well
    size_t passed_over;     // predictions on a condition that were not tried
    bool has_spare;         // the best of those declined is kept
    struct execution spare;
    unsigned spare_grade;
    struct execution next; // see prediction_search.c
    struct err *err;
};

/* prediction_keep.c: describe, verify and store x as a history, unless it
 * duplicates an earlier prediction.  False on an error. */
bool run_keep(struct predict_run *run, const struct execution *x);

#endif
