/* anomaly.h -- the anomalies that gen can inject, each in its smallest form.
 *
 * Their names are those under which 'check' reports them (anomaly_table).
 *
 * SPDX-License-Identifier: MIT */
#ifndef GEN_ANOMALY_H
#define GEN_ANOMALY_H

#include "level/level.h"

/* 'script' is a list of transactions, separated by ';'.  Each is a letter for
 * its session, '!' if it aborts, and operations: r or w, a key x or y, and a
 * digit for the value, 0 being the initial one; or q, and the keys and values
 * of the rows that a query found among these two. */
struct gen_anomaly {
    const char *name;
    enum level level; // the weakest level that it violates
    const char *script;
};

/* Whether it has queries. */
bool gen_anomaly_needs_rows(const struct gen_anomaly *a);

extern const struct gen_anomaly gen_anomalies[]; // ends in a row without name

const struct gen_anomaly *gen_anomaly_find(const char *name);

/* How many sessions its script uses. */
unsigned gen_anomaly_sessions(const struct gen_anomaly *a);

#endif
