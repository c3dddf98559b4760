/* advice.h -- what an anomaly means for an application, and what to do.
 *
 * The texts are full sentences for people who do not know the names of
 * anomalies.  doc/anomalies.md has the same texts with an example each, and a
 * test compares them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ADVICE_H
#define EXPLAIN_ADVICE_H

#include "explain/anomaly_kinds.h"

struct anomaly_advice {
    const char *risk;   // what can go wrong
    const char *remedy; // what to change
};

extern const struct anomaly_advice advice_table[ANOMALY_KINDS];

#endif
