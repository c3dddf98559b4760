/* narrate_anomaly.h -- a reduced history as an anomaly that a person can read:
 * its name, its story, its transactions, and why no order works.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_NARRATE_NARRATE_ANOMALY_H
#define EXPLAIN_NARRATE_NARRATE_ANOMALY_H

#include "explain/explain.h"
#include "explain/reduce/reduce.h"

/* Narrate r, a part of 'whole', and take over its history.  The level that was
 * checked is 'asked'; the narration is about 'weakest', the weakest level that
 * r violates. */
void narrate_anomaly(const struct history *whole, struct reduced *r,
                     enum level asked, enum level weakest,
                     const struct judgement *judgement, size_t context,
                     struct anomaly *out);

#endif
