/* test_standby.c -- a primary and its standby disagree on the order of
 * commits: stock PostgreSQL shows a long fork.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

static struct servers servers;

static void
a_standby_forks_and_keeps_causality(void)
{
    // A standby makes a commit visible when it replays it, the primary when
    // the committing process gets to it: for a moment they differ.
    const level_set levels = LEVEL_BIT(LEVEL_CC) | LEVEL_BIT(LEVEL_PC) |
                             LEVEL_BIT(LEVEL_PSI) | LEVEL_BIT(LEVEL_SI);
    struct trial_result r = {0};
    for (uint64_t i = 0; i < 8 && r.verdict[LEVEL_SI] != VERDICT_VIOLATED;
         i++) {
        const struct trial trial = {.target = servers.url,
                                    .workload = "fork",
                                    .isolation = ISOLATION_REPEATABLE_READ,
                                    .sessions = 8,
                                    .reads = 0.3,
                                    .seconds = 2,
                                    .seed = i};
        CHECK(trial_run(&trial, levels, &r));
        CHECK(r.verdict[LEVEL_CC] == VERDICT_OK);
    }
    CHECK(r.verdict[LEVEL_SI] == VERDICT_VIOLATED);
    CHECK(r.verdict[LEVEL_PC] == VERDICT_VIOLATED);
    CHECK(r.verdict[LEVEL_PSI] == VERDICT_OK);
    CHECK(trial_told(&r, ANOMALY_LONG_FORK));
}

int
main(void)
{
    if (!start_or_skip("postgresql+standby", &servers))
        return 0;
    RUN(a_standby_forks_and_keeps_causality);
    servers_stop(&servers);
    return test_end();
}
