/* run.h -- what the files share that make a prediction (predict.c).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_RUN_H
#define PREDICT_RUN_H

#include "predict/predict.h"
#include "predict/seek.h"

struct predict_run {
    const struct predict_options *options;
    struct prediction *out;
    struct seek seek;
    size_t rejected; // predictions that were not welcome
    bool has_spare;  // one of them is kept, for want of a better one
    struct execution spare;
    unsigned spare_grade;
    struct err *err;
};

/* found.c: where boundary transactions of x go on to do all that was observed,
 * some key that they must not write if the level is to hold; or ID_NONE. */
key_id run_find_lost_write(struct predict_run *run, const struct execution *x);

/* Keep x, described, checked with all care, and told as a history, unless its
 * story was told before.  False on an error. */
bool run_keep(struct predict_run *run, const struct execution *x);

#endif
