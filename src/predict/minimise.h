/* minimise.h -- the least change that still is an anomaly.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_MINIMISE_H
#define PREDICT_MINIMISE_H

#include "predict/execution_search.h"

/* Put changed reads of x back to what was observed, and leave transactions out,
 * one by one, as long as x satisfies the level and is not serializable. */
void minimise(struct execution_search *s, struct execution *x);

#endif
