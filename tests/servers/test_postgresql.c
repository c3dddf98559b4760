/* test_postgresql.c -- what stock PostgreSQL guarantees, and what not.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

static struct servers servers;

static void
serializable_is_serializable(void)
{
    const struct trial trial = {.target = servers.url,
                                .isolation = ISOLATION_SERIALIZABLE,
                                .transactions = 800};
    struct trial_result r;
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_SER), &r));
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    CHECK(r.stats.committed > 200);
}

static void
repeatable_read_is_snapshot_isolation_with_write_skew(void)
{
    const struct trial trial = {.target = servers.url,
                                .workload = "skew",
                                .isolation = ISOLATION_REPEATABLE_READ,
                                .transactions = 1000,
                                .reads = 0.1,
                                .keys = 4};
    struct trial_result r;
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_SI) | LEVEL_BIT(LEVEL_SER), &r));
    CHECK(r.verdict[LEVEL_SI] == VERDICT_OK);
    CHECK(r.verdict[LEVEL_SER] == VERDICT_VIOLATED);
    CHECK(trial_told(&r, ANOMALY_WRITE_SKEW));
}

static void
read_committed_is_no_snapshot_isolation(void)
{
    const struct trial trial = {.target = servers.url,
                                .workload = "update",
                                .isolation = ISOLATION_READ_COMMITTED,
                                .transactions = 600,
                                .reads = 0.1,
                                .keys = 3};
    struct trial_result r;
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_RC) | LEVEL_BIT(LEVEL_SI), &r));
    CHECK(r.verdict[LEVEL_RC] == VERDICT_OK);
    CHECK(r.verdict[LEVEL_SI] == VERDICT_VIOLATED);
    CHECK(trial_told(&r, ANOMALY_LOST_UPDATE));
}

static void
lists_are_serializable_too(void)
{
    const struct trial trial = {.target = servers.url,
                                .workload = "append",
                                .isolation = ISOLATION_SERIALIZABLE,
                                .transactions = 400};
    struct trial_result r;
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_SER), &r));
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
}

static void
applications_are_serializable(void)
{
    for (size_t i = 0; app_list[i]; i++) {
        const struct trial trial = {.target = servers.url,
                                    .app = app_list[i]->name,
                                    .isolation = ISOLATION_SERIALIZABLE,
                                    .transactions = 150};
        struct trial_result r;
        CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_SER), &r));
        CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
        CHECK(r.stats.committed > 20);
    }
}

/* --- faults ----------------------------------------------------------------*/

static void
survives(const char *faults)
{
    struct fault_plan plan = {.servers = &servers};
    struct err err = {0};
    CHECK(faults_parse(faults, servers.nodes.n, &plan.faults, &err));
    const struct trial trial = {.target = servers.url,
                                .isolation = ISOLATION_SERIALIZABLE,
                                .seconds = 3,
                                .tick = fault_plan_tick,
                                .self = &plan};
    struct trial_result r;
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_SER), &r));
    CHECK(!plan.failed);
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    CHECK(r.stats.reconnects > 0);
    CHECK(r.stats.unknown > 0);
    CHECK(r.stats.committed > 100);
    vec_free(&plan.faults);
}

static void
no_commit_is_lost_when_the_server_is_killed(void)
{
    survives("kill@1");
}

static void
lost_connections_are_made_again(void)
{
    survives("disconnect@0.5,stop@0.8,restart@2");
}

int
main(void)
{
    if (!start_or_skip("postgresql", &servers))
        return 0;
    RUN(serializable_is_serializable);
    RUN(repeatable_read_is_snapshot_isolation_with_write_skew);
    RUN(read_committed_is_no_snapshot_isolation);
    RUN(lists_are_serializable_too);
    RUN(applications_are_serializable);
    RUN(no_commit_is_lost_when_the_server_is_killed);
    RUN(lost_connections_are_made_again);
    servers_stop(&servers);
    return test_end();
}
