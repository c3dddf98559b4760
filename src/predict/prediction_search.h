/* prediction_search.h -- the search for one prediction with the best score, or
 * for many.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_PREDICTION_SEARCH_H
#define PREDICT_PREDICTION_SEARCH_H

#include "predict/run.h"

/* Look for predictions with run->search and keep them.  With 'is_last', those
 * on a condition are tried as well, where the caller tries them and has
 * accepted none. */
bool prediction_search_everywhere(struct predict_run *run, bool is_last);

/* Whether there are enough, or too many were declined. */
bool prediction_search_is_over(const struct predict_run *run);

/* Whether the execution is so large that less is tried. */
bool prediction_search_is_large(const struct predict_run *run);

#endif
