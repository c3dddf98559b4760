/* signature.h -- whether two predictions describe the same anomaly.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_EXECUTION_SIGNATURE_H
#define PREDICT_EXECUTION_SIGNATURE_H

#include "predict/execution/execution.h"

/* Append the signature of x: for each transaction of 'part', which shows that x
 * is not serializable, its kind and what it reads and writes there, with keys
 * by class.  A class is a key's name without digits; a kind is the
 * transaction's "type", "name" or "procedure" in the history's metadata, where
 * it has any. */
void signature_of(const struct execution *x, const struct excerpt *part,
                  struct buf *out);

#endif
