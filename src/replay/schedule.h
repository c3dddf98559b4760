/* schedule.h -- a predicted execution as a schedule of statements: who begins
 * when, who reads when, who commits when.
 *
 * A database with snapshot isolation serves all reads of a transaction from the
 * moment of its first one; one with read committed serves each read from the
 * moment it takes place.  Both show writes at the commit.  The schedule places
 * these moments so that every read finds the version that was predicted.
 *
 *   (S1) a transaction has one step that begins it, then perhaps steps up to
 *        some of its reads, then one that ends it;
 *   (S2) in a session a transaction begins after the one before it ended;
 *   (S3) a transaction begins and writes as late as it can, so that it holds no
 *        lock for longer than it must.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPLAY_SCHEDULE_H
#define REPLAY_SCHEDULE_H

#include "driver/driver.h"
#include "predict/execution/execution.h"

#define SCHEDULE_TO_THE_END UINT32_MAX

struct schedule_step {
    uint32_t txn; // of the execution
    bool begins;
    uint32_t accesses; // to go on until so many were made; or to the end
};

struct schedule {
    VEC(struct schedule_step) steps;
};

/* Find a schedule for a database that is asked for REPEATABLE READ, taken as
 * snapshot isolation, or READ COMMITTED.  *exists is false where no schedule
 * has these reads.  With 'last', boundary transactions end after all others.
 */
bool schedule_make(struct schedule *s, const struct execution *x,
                   enum driver_isolation isolation, bool last, bool *exists,
                   struct err *err);
void schedule_free(struct schedule *s);

/* Whether transactions that overlap write the same row, as far as observed:
 * then snapshot isolation in rows refuses one of them, although they may write
 * different columns.
 *
 *   require  keys are text */
bool schedule_has_conflict(const struct schedule *s, const struct observed *o);

/* By key, the row it is in: keys are "table:row:column".  To be freed.
 *
 *   require  keys are text */
uint32_t *schedule_rows(const struct history *h);

#endif
