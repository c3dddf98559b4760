/* test_mariadb.c -- what stock MariaDB guarantees, and what not.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "collect/pair.h"
#include "driver/sql/sql.h"

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

/* --- pairs -----------------------------------------------------------------*/

struct two {
    struct database db;
    struct connection *a, *b;
};

static void
two_begin(struct two *t, enum driver_isolation isolation)
{
    struct err err = {0};
    CHECK(database_open(servers.url, isolation, NULL, &t->db, &err));
    CHECK(t->db.driver->load(&t->db, 3, KEYS_REGISTERS, &err));
    CHECK(t->db.driver->connect(&t->db, 0, 0, &t->a, &err));
    CHECK(t->db.driver->connect(&t->db, 1, 0, &t->b, &err));
}

static void
two_end(struct two *t)
{
    struct err err = {0};
    t->db.driver->disconnect(t->a);
    t->db.driver->disconnect(t->b);
    CHECK(t->db.driver->unload(&t->db, &err));
    database_close(&t->db);
}

static enum outcome
tell(struct connection *c, const char *sql)
{
    return c->driver->query(c, sql, NULL);
}

static void
the_snapshot_of_a_partner_locks_nothing(void)
{
    struct two t;
    two_begin(&t, ISOLATION_SERIALIZABLE);
    CHECK(tell(t.b, "set innodb_lock_wait_timeout = 1") == OUTCOME_OK);
    CHECK(t.a->driver->begin(t.a) == OUTCOME_OK);
    CHECK(t.b->driver->begin(t.b) == OUTCOME_OK);
    CHECK(pair_take_snapshot(t.a, "kv", false) == OUTCOME_OK);
    CHECK(pair_take_snapshot(t.b, "kv", false) == OUTCOME_OK);
    CHECK(tell(t.b, "insert into assay_kv (assay_key) "
                    "values (-2)") == OUTCOME_OK);
    CHECK(tell(t.b, "insert into assay_kv (assay_key) "
                    "values (9)") == OUTCOME_OK);
    CHECK_TEXT(t.b->message, "");
    CHECK(t.b->driver->commit(t.b) == OUTCOME_OK);
    CHECK(t.a->driver->commit(t.a) == OUTCOME_OK);
    two_end(&t);
}

static void
the_snapshot_of_a_partner_is_one(void)
{
    struct two t;
    struct driver_read seen;
    bool is_missing;
    two_begin(&t, ISOLATION_REPEATABLE_READ);
    for (int64_t i = 0; i < 2; i++) {
        const bool is_read_only = i;
        CHECK(tell(t.a, is_read_only ? t.a->driver->sql->begin_read_only
                                     : "begin") == OUTCOME_OK);
        CHECK(pair_take_snapshot(t.a, "kv", is_read_only) == OUTCOME_OK);
        CHECK(t.b->driver->begin(t.b) == OUTCOME_OK);
        CHECK(t.b->driver->write(t.b, 1, 7 + i, &is_missing) == OUTCOME_OK);
        CHECK(t.b->driver->commit(t.b) == OUTCOME_OK);
        CHECK(t.a->driver->read(t.a, 1, &seen) == OUTCOME_OK);
        CHECK(seen.has_value == (i > 0) && (!i || seen.value == 7));
        // What only reads stays so.
        CHECK((t.a->driver->write(t.a, 2, 9, &is_missing) == OUTCOME_OK) ==
              !is_read_only);
        CHECK(t.a->driver->abort(t.a) == OUTCOME_OK);
    }
    two_end(&t);
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
    RUN(the_snapshot_of_a_partner_locks_nothing);
    RUN(the_snapshot_of_a_partner_is_one);
    RUN(applications_are_serializable);
    RUN(a_table_of_somebody_else_stays);
    RUN(one_run_at_a_time_has_its_tables);
    servers_stop(&servers);
    return test_end();
}
