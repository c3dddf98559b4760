/* gen_schedule.h -- when the transactions of a generated history begin, commit
 * and end, as clients that are always busy would see it.
 *
 * A transaction takes a while to commit, and its client hears of that a while
 * later.  So the order of ends is not the order of commits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GEN_GEN_SCHEDULE_H
#define GEN_GEN_SCHEDULE_H

#include "gen/anomaly.h"
#include "gen/gen.h"

struct gen_slot {
    int64_t began, committed, ended;
    session_id session;
    uint32_t number; // of its commit, from 1; an injected script has one number
};

struct gen_schedule {
    VEC(struct gen_slot) slots; // in the order of commits
    u32_vec order;              // slots, in the order of the output
    uint64_t script_session;    // that an injected script begins with
};

/* Plan all transactions of a shape whose order is not GEN_ORDER_COMMIT; the
 * anomaly may be NULL.  A transaction that ended before another one began has
 * committed before it. */
void gen_schedule_make(struct gen_schedule *s, const struct gen_shape *shape,
                       const struct gen_anomaly *anomaly);
void gen_schedule_free(struct gen_schedule *s);

/* The number of the last commit before that time, or 0. */
uint32_t gen_schedule_commits_before(const struct gen_schedule *s,
                                     int64_t time);

#endif
