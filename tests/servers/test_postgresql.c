/* test_postgresql.c -- what stock PostgreSQL guarantees, and what not.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

static struct servers servers;

static void
serializable_is_serializable(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .isolation = ISOLATION_SERIALIZABLE,
                  .transactions = 800},
        .holds = LEVEL_BIT(LEVEL_SER),
        .commits = 100,
    });
}

static void
repeatable_read_is_snapshot_isolation_with_write_skew(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .workload = "skew",
                  .isolation = ISOLATION_REPEATABLE_READ,
                  .transactions = 500,
                  .reads = 0.1,
                  .keys = 4,
                  .pause = 0.001},
        .holds = LEVEL_BIT(LEVEL_SI),
        .broken = LEVEL_BIT(LEVEL_SER),
        .told = ANOMALY_WRITE_SKEW,
    });
}

static void
read_committed_is_no_snapshot_isolation(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .workload = "update",
                  .isolation = ISOLATION_READ_COMMITTED,
                  .transactions = 300,
                  .reads = 0.1,
                  .keys = 3,
                  .pause = 0.001},
        .holds = LEVEL_BIT(LEVEL_RC),
        .broken = LEVEL_BIT(LEVEL_SI),
        .told = ANOMALY_LOST_UPDATE,
    });
}

static void
lists_are_serializable_as_text_and_as_arrays(void)
{
    for (int arrays = 0; arrays < 2; arrays++)
        expect(&(struct expectation){
            .trial = {.target = servers.url,
                      .workload = "append",
                      .isolation = ISOLATION_SERIALIZABLE,
                      .transactions = 400,
                      .arrays = arrays},
            .holds = LEVEL_BIT(LEVEL_SER),
            .commits = 50,
        });
}

static void
arrays_at_read_committed_are_no_snapshots(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .workload = "append",
                  .isolation = ISOLATION_READ_COMMITTED,
                  .transactions = 300,
                  .keys = 3,
                  .pause = 0.001,
                  .arrays = true},
        .holds = LEVEL_BIT(LEVEL_RC),
        .broken = LEVEL_BIT(LEVEL_SER),
        .told = ANOMALY_READ_SKEW,
    });
}

static void
applications_are_serializable(void)
{
    expect_of_applications(servers.url);
}

static void
a_table_of_somebody_else_stays(void)
{
    expect_to_leave_foreign_tables(servers.url);
}

static void
one_run_at_a_time_has_its_tables(void)
{
    expect_one_run_at_a_time(servers.url);
}

int
main(void)
{
    if (!start_or_skip("postgresql", &servers))
        return 0;
    RUN(serializable_is_serializable);
    RUN(repeatable_read_is_snapshot_isolation_with_write_skew);
    RUN(read_committed_is_no_snapshot_isolation);
    RUN(lists_are_serializable_as_text_and_as_arrays);
    RUN(arrays_at_read_committed_are_no_snapshots);
    RUN(applications_are_serializable);
    RUN(a_table_of_somebody_else_stays);
    RUN(one_run_at_a_time_has_its_tables);
    servers_stop(&servers);
    return test_end();
}
