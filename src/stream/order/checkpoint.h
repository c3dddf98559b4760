/* checkpoint.h -- the state of a followed stream as a file, from which another
 * run goes on.
 *
 * The state is that of the reader, of the queue and of the order; offsets of
 * clocks are not in it, they are estimated again.  A run that goes on from a
 * checkpoint decides what it would have decided without it, but for two things:
 *
 *   (K1) a violation after the checkpoint is reported again;
 *   (K2) transactions are judged by a part that is not the whole input, so a
 *        violation rests on (F1) of follow.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_CHECKPOINT_H
#define STREAM_ORDER_CHECKPOINT_H

#include "stream/order/pass.h"

/* What belongs to a checkpoint beside the pass. */
struct checkpoint {
    const char *path;
    uint64_t violations, unresolved;
    char place[128];
};

/* Write it.  Fails where an input is not a file. */
bool checkpoint_write(struct stream_pass *p, struct checkpoint *c,
                      struct err *err);

/* Read what the file holds into names, before the reader is opened; *found is
 * false if there is no such file.  Then read the rest into a pass that has just
 * begun. */
bool checkpoint_open(const char *path, struct stream_names *names,
                     struct archive *a, bool *found, struct err *err);
bool checkpoint_read(struct stream_pass *p, struct archive *a,
                     struct checkpoint *c, struct err *err);

#endif
