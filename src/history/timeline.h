/* timeline.h -- how a recorded run went over time: transactions that ended, and
 * how long they took, in equal intervals.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_TIMELINE_H
#define HISTORY_TIMELINE_H

#include "history/history.h"

struct timeline_interval {
    // Transactions that ended in it; of unknown outcome: that began.
    uint64_t committed, aborted, unknown;
    // Of those committed, in nanoseconds; -1 where there are none.
    int64_t median, percentile_99;
};

struct timeline {
    int64_t zero;   // when the run began
    double seconds; // of one interval
    VEC(struct timeline_interval) intervals;
};

/* Whether times are known, and in nanoseconds. */
bool timeline_applies(const struct history *h);

/* From the beginning of the run to the last end.  It began at zero, unless the
 * clock says that it was not its own.
 *
 *   require  timeline_applies(h)
 *   ensure   every transaction but those that load is counted once */
void timeline_of(const struct history *h, struct timeline *out);
void timeline_free(struct timeline *t);

#endif
