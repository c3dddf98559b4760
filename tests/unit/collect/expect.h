/* expect.h -- what a trial is expected to show.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_COLLECT_EXPECT_H
#define TEST_COLLECT_EXPECT_H

#include "test.h"
#include "trial.h"

struct expectation {
    struct trial trial;
    level_set holds;        // levels that are satisfied
    level_set broken;       // and that are not
    enum anomaly_kind told; // why not
    uint64_t commits;       // as many at least, so that it means something
};

/* Whether this build has the database of a target; if not, skip the test. */
static inline bool
can_open(const char *target)
{
    char scheme[16];
    struct err err = {0};
    snprintf(scheme, sizeof scheme, "%.*s", (int)strcspn(target, ":"), target);
    if (driver_is_built(scheme, &err))
        return true;
    SKIP("this build leaves the database out");
    return false;
}

/* What is to be broken takes a race, and so is tried until it happens; what is
 * to hold must hold each time. */
static inline void
expect(const struct expectation *e)
{
    struct trial_result r;
    const level_set levels = e->holds | e->broken;
    if (!can_open(e->trial.target))
        return;
    CHECK(e->broken ? trial_until(&e->trial, levels, e->told, &r)
                    : trial_run(&e->trial, levels, &r));
    for (int l = 0; l < LEVELS; l++) {
        CHECK(!(e->holds >> l & 1) || r.verdict[l] == VERDICT_OK);
        CHECK(!(e->broken >> l & 1) || r.verdict[l] == VERDICT_VIOLATED);
    }
    CHECK(!e->broken || trial_told(&r, e->told));
    CHECK(r.stats.committed >= e->commits);
}

#endif
