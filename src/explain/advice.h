/* advice.h -- what an anomaly means for an application, and what to do.
 *
 * The texts are full sentences for people who do not know the names of
 * anomalies.  doc/anomalies.md has the same texts with an example each, and a
 * test compares them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ADVICE_H
#define EXPLAIN_ADVICE_H

#include "base/buf.h"
#include "explain/anomaly_kinds.h"

// The levels of SQL, the weakest first.
enum advice_isolation {
    ADVICE_NO_ISOLATION, // not known, or several
    ADVICE_READ_UNCOMMITTED,
    ADVICE_READ_COMMITTED,
    ADVICE_REPEATABLE_READ,
    ADVICE_SERIALIZABLE,
    ADVICE_ISOLATIONS
};

struct anomaly_advice {
    const char *risk;   // what can go wrong
    const char *remedy; // what to change, where nothing is known of the run
    // The weakest level that is recommended, or 0; and what to do where that
    // level or a stronger one was in use.
    enum advice_isolation forbidden_from;
    const char *instead;
};

extern const struct anomaly_advice advice_table[ANOMALY_KINDS];

/* The level of that name, in any case of letters. */
enum advice_isolation advice_isolation_of(const char *name);

/* Append what to change where a run on the database used a level.  The text
 * never recommends that level, nor a weaker one. */
void advice_remedy(enum anomaly_kind kind, const char *database,
                   enum advice_isolation used, struct buf *out);

#endif
