/* look.h -- looking for a prediction that is welcome, or for many.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_LOOK_H
#define PREDICT_LOOK_H

#include "predict/run.h"

/* Look for predictions with run->seek and keep them.  With 'is_last', those on
 * a condition are tried as well, where the caller tries them and has accepted
 * none. */
bool look_everywhere(struct predict_run *run, bool is_last);

/* Whether there are enough, or too many were declined. */
bool look_is_over(const struct predict_run *run);

/* Whether the execution is so large that less is tried. */
bool look_is_large(const struct predict_run *run);

#endif
