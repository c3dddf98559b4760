/* anomaly_kinds.h -- the anomalies that have a name.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ANOMALY_KINDS_H
#define EXPLAIN_ANOMALY_KINDS_H

// The order is from the simplest to the subtlest; classify.c rests on it.
enum anomaly_kind {
    ANOMALY_THIN_AIR,
    ANOMALY_ABORTED,
    ANOMALY_FUTURE,
    ANOMALY_NOT_OWN,
    ANOMALY_NOT_LATEST,
    ANOMALY_MISSING_ROW,
    ANOMALY_INCOMPATIBLE,
    ANOMALY_DUPLICATE,
    ANOMALY_LOST_APPEND,
    ANOMALY_LOST_COMMIT,
    ANOMALY_DIRTY_WRITE,
    ANOMALY_CIRCULAR,
    ANOMALY_NON_REPEATABLE,
    ANOMALY_PHANTOM_READ,
    ANOMALY_FRACTURED,
    ANOMALY_READ_YOUR_WRITES,
    ANOMALY_NON_MONOTONIC,
    ANOMALY_MONOTONIC_WRITE,
    ANOMALY_CAUSALITY,
    ANOMALY_READ_SKEW,
    ANOMALY_STALE_READ,
    ANOMALY_LOST_UPDATE,
    ANOMALY_LONG_FORK,
    ANOMALY_WRITE_SKEW,
    ANOMALY_READ_ONLY,
    ANOMALY_G2_ITEM,
    ANOMALY_PHANTOM,
    ANOMALY_CYCLE,
    ANOMALY_KINDS
};

struct anomaly_info {
    const char *name, *title; // "lost-update", "lost update"
    const char *adya;         // Adya's name for it, or ""
    const char *elle;         // Elle's, or ""; may depend on the edges
    const char *meaning;      // one sentence
};

extern const struct anomaly_info anomaly_table[ANOMALY_KINDS];

/* The kinds in the order of a report: mistakes of a recording or a database
 * first, then what changes data wrongly, then what is seen wrongly. */
extern const enum anomaly_kind anomaly_order[ANOMALY_KINDS];

#endif
