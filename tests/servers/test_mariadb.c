/* test_mariadb.c -- what stock MariaDB guarantees, and what not.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

static struct servers servers;

static void
repeatable_read_loses_updates(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .workload = "update",
                  .isolation = ISOLATION_REPEATABLE_READ,
                  .transactions = 300,
                  .reads = 0.1,
                  .keys = 5,
                  .pause = 0.001},
        .holds = LEVEL_BIT(LEVEL_RC),
        .broken = LEVEL_BIT(LEVEL_SI),
        .told = ANOMALY_LOST_UPDATE,
    });
}

static void
with_snapshot_isolation_on_it_loses_none(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .workload = "update",
                  .isolation = ISOLATION_REPEATABLE_READ,
                  .setup = "set innodb_snapshot_isolation=ON",
                  .transactions = 500,
                  .reads = 0.1,
                  .keys = 5,
                  .pause = 0.001},
        .holds = LEVEL_BIT(LEVEL_SI),
        .commits = 50,
    });
}

/* An append acts on the latest list, and the reads around it on an older
 * snapshot: the list that the transaction took up is from somebody whose other
 * appends it does not see. */
static void
an_append_mixes_two_snapshots(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .workload = "append",
                  .isolation = ISOLATION_REPEATABLE_READ,
                  .transactions = 300,
                  .keys = 5,
                  .pause = 0.001},
        .broken = LEVEL_BIT(LEVEL_RA),
        .told = ANOMALY_FRACTURED,
    });
}

static void
with_snapshot_isolation_on_appends_mix_nothing(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .workload = "append",
                  .isolation = ISOLATION_REPEATABLE_READ,
                  .setup = "set innodb_snapshot_isolation=ON",
                  .transactions = 300,
                  .keys = 5,
                  .pause = 0.001},
        .holds = LEVEL_BIT(LEVEL_SI),
        .commits = 50,
    });
}

/* MDEV-26642: an update that changes nothing leaves no trace, not even for the
 * transaction that made it.  One key of two values is all it takes. */
static void
an_own_write_of_an_identical_value_is_not_seen(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .isolation = ISOLATION_REPEATABLE_READ,
                  .transactions = 200,
                  .operations = 6,
                  .keys = 2,
                  .duplicates = 1,
                  .values = 2,
                  .pause = 0.001},
        .broken = LEVEL_BIT(LEVEL_RC),
        .told = ANOMALY_NOT_OWN,
    });
}

static void
serializable_is_serializable(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .isolation = ISOLATION_SERIALIZABLE,
                  .transactions = 400},
        .holds = LEVEL_BIT(LEVEL_SER),
        .commits = 50,
    });
}

static void
read_uncommitted_shows_aborted_reads(void)
{
    expect(&(struct expectation){
        .trial = {.target = servers.url,
                  .isolation = ISOLATION_READ_UNCOMMITTED,
                  .transactions = 300,
                  .reads = 0.7,
                  .aborts = 0.3,
                  .pause = 0.001},
        .broken = LEVEL_BIT(LEVEL_RC),
        .told = ANOMALY_ABORTED,
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
    if (!start_or_skip("mariadb", &servers))
        return 0;
    RUN(repeatable_read_loses_updates);
    RUN(with_snapshot_isolation_on_it_loses_none);
    RUN(an_append_mixes_two_snapshots);
    RUN(with_snapshot_isolation_on_appends_mix_nothing);
    RUN(an_own_write_of_an_identical_value_is_not_seen);
    RUN(serializable_is_serializable);
    RUN(read_uncommitted_shows_aborted_reads);
    RUN(applications_are_serializable);
    RUN(a_table_of_somebody_else_stays);
    RUN(one_run_at_a_time_has_its_tables);
    servers_stop(&servers);
    return test_end();
}
