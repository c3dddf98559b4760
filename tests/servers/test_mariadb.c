/* test_mariadb.c -- what stock MariaDB guarantees, and what not.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

static struct servers servers;

static void
repeatable_read_loses_updates(void)
{
    const struct trial trial = {.target = servers.url,
                                .workload = "update",
                                .isolation = ISOLATION_REPEATABLE_READ,
                                .transactions = 500,
                                .reads = 0.1,
                                .keys = 5};
    struct trial_result r;
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_RC) | LEVEL_BIT(LEVEL_SI), &r));
    CHECK(r.verdict[LEVEL_RC] == VERDICT_OK);
    CHECK(r.verdict[LEVEL_SI] == VERDICT_VIOLATED);
    CHECK(trial_told(&r, ANOMALY_LOST_UPDATE));
}

static void
with_snapshot_isolation_on_it_loses_none(void)
{
    const struct trial trial = {.target = servers.url,
                                .workload = "update",
                                .isolation = ISOLATION_REPEATABLE_READ,
                                .setup = "set innodb_snapshot_isolation=ON",
                                .transactions = 500,
                                .reads = 0.1,
                                .keys = 5};
    struct trial_result r;
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_SI), &r));
    CHECK(r.verdict[LEVEL_SI] == VERDICT_OK);
    CHECK(r.stats.committed > 100);
}

/* MDEV-26642: an update that changes nothing leaves no trace, not even for the
 * transaction that made it. */
static void
an_own_write_of_an_identical_value_is_not_seen(void)
{
    struct trial_result r = {0};
    for (uint64_t i = 0; i < 20 && !trial_told(&r, ANOMALY_NOT_OWN); i++) {
        const struct trial trial = {.target = servers.url,
                                    .isolation = ISOLATION_REPEATABLE_READ,
                                    .transactions = 200,
                                    .operations = 6,
                                    .keys = 2,
                                    .duplicates = 1,
                                    .values = 2,
                                    .seed = i};
        CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_RC), &r));
    }
    CHECK(r.verdict[LEVEL_RC] == VERDICT_VIOLATED);
    CHECK(trial_told(&r, ANOMALY_NOT_OWN));
}

static void
serializable_is_serializable(void)
{
    const struct trial trial = {.target = servers.url,
                                .isolation = ISOLATION_SERIALIZABLE,
                                .transactions = 400};
    struct trial_result r;
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_SER), &r));
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    CHECK(r.stats.committed > 50);
}

static void
read_uncommitted_shows_aborted_reads(void)
{
    const struct trial trial = {.target = servers.url,
                                .isolation = ISOLATION_READ_UNCOMMITTED,
                                .transactions = 800,
                                .reads = 0.7,
                                .aborts = 0.3};
    struct trial_result r;
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_RC), &r));
    CHECK(trial_told(&r, ANOMALY_ABORTED));
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
no_commit_is_lost_when_the_server_is_killed(void)
{
    struct fault_plan plan = {.servers = &servers};
    struct err err = {0};
    CHECK(faults_parse("kill@1", servers.nodes.n, &plan.faults, &err));
    const struct trial trial = {.target = servers.url,
                                .isolation = ISOLATION_SERIALIZABLE,
                                .seconds = 3,
                                .reads = 0.7,
                                .tick = fault_plan_tick,
                                .self = &plan};
    struct trial_result r;
    CHECK(trial_run(&trial, LEVEL_BIT(LEVEL_SER), &r));
    CHECK(!plan.failed);
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    CHECK(r.stats.reconnects > 0);
    CHECK(r.stats.unknown > 0);
    CHECK(r.stats.committed > 50);
    vec_free(&plan.faults);
}

int
main(void)
{
    if (!start_or_skip("mariadb", &servers))
        return 0;
    RUN(repeatable_read_loses_updates);
    RUN(with_snapshot_isolation_on_it_loses_none);
    RUN(an_own_write_of_an_identical_value_is_not_seen);
    RUN(serializable_is_serializable);
    RUN(read_uncommitted_shows_aborted_reads);
    RUN(applications_are_serializable);
    RUN(no_commit_is_lost_when_the_server_is_killed);
    servers_stop(&servers);
    return test_end();
}
