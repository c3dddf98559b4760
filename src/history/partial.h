/* partial.h -- transactions that were recorded in part.
 *
 * A recorder that cannot record everything that a transaction read says so.
 * Leaving reads out can hide an anomaly and cannot make one up.  So a violation
 * stands, and a level that holds does so as far as it was recorded.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_PARTIAL_H
#define HISTORY_PARTIAL_H

#include "base/container/strings.h"
#include "history/history.h"

/* All-zero is none. */
struct partial {
    uint64_t txns, of;     // recorded in part, of all that did not abort
    struct strings what;   // what was not recorded, in JSON
    VEC(uint64_t) what_of; // the same: of how many transactions
};

void partial_of(const struct history *h, struct partial *out);
void partial_free(struct partial *p);

/* Write "as far as it was recorded: 41 of 208 transactions have reads that were
 * not"; "" if all of them were. */
void partial_tell(const struct history *h, char *out, size_t room);

#endif
