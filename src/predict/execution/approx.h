/* approx.h -- the paper's condition for executions that are not serializable.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_EXECUTION_APPROX_H
#define PREDICT_EXECUTION_APPROX_H

#include "predict/execution/execution.h"

/* Whether what must come before what, inferred without any case distinction, is
 * a cycle.
 *
 *   time  O(n^3) words of bits for n transactions of x, rounds aside */
bool approx_is_cyclic(const struct execution *x);

#endif
