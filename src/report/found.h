/* found.h -- the anomalies of a history, each once.
 *
 * An anomaly is often found at several levels.  Results show it once: the
 * simplest kind first, and by default one of each kind.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_FOUND_H
#define REPORT_FOUND_H

#include "report/report.h"

/* An anomaly, by its row of run->explanations and its place in that row. */
struct found {
    const struct anomaly *a;
    size_t row, place;
    level_set levels; // at which it was found
};

typedef VEC(struct found) found_vec;

/* All anomalies in the order of the levels. */
void found_gather(const struct report_run *run, found_vec *out);

/* Those to show, by kind: all, or the first of each kind. */
void found_to_show(const struct report_run *run, bool all, found_vec *out);

/* Append how many there are of each kind, and between which scripts or
 * endpoints: lines with two blanks in front.  Nothing if all are shown and
 * nothing is known of scripts. */
void found_counts(const struct report_run *run, size_t shown, struct buf *out);

#endif
