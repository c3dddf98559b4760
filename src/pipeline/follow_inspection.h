/* follow_inspection.h -- a stream that is being written, from its bytes to
 * reports: each violation when it is found, and a verdict at the end.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_FOLLOW_INSPECTION_H
#define PIPELINE_FOLLOW_INSPECTION_H

#include "pipeline/inspection.h"
#include "stream/order/follow.h"

struct follow_watch {
    const char *path, *name; // its name in reports
    size_t window;
    double settle;           // seconds
    const char *checkpoint;  // as in follow.h
    double checkpoint_every; // seconds
    enum level level;
    void *self;
    /* A violation was added to the reports. */
    void (*shown)(void *self);
    /* As in follow.h. */
    bool (*go_on)(void *self, const struct follow_state *s);
};

/* Follow the input until it ends or go_on says so.  Each violation is added to
 * o->reports; so is the verdict, where none was found. */
bool follow_inspection_run(const struct inspection_options *o,
                           const struct follow_watch *w,
                           struct follow_result *out, struct err *err);

#endif
