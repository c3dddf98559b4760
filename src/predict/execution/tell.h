/* tell.h -- a predicted execution as a history that a person reads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_EXECUTION_TELL_H
#define PREDICT_EXECUTION_TELL_H

#include "predict/execution/execution.h"

/* Make the history of x with the names and values of the observed one.
 * Internal reads and overwritten writes of boundary transactions that are cut
 * are left out, as they are no events.  Where a value was written more than
 * once, values get the name of their writer, so that it is certain who read
 * from whom. */
bool tell_execution(const struct execution *x, struct history *out,
                    struct err *err);

/* Whether read r returns the value in x that it returned as observed.  A value
 * that ends in '#' and a number, as collect writes them to tell writers apart,
 * is taken without. */
bool tell_is_same_value(const struct execution *x, uint32_t r);

#endif
