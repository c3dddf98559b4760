/* test_app.c -- applications keep their books when transactions are isolated,
 * and their histories are what the database promises.
 *
 * SPDX-License-Identifier: MIT */
#include "expect.h"

#include "collect/job.h"

struct office {
    struct job_tables tables;
    struct database db;
    struct connection *connection;
};

/* Run an application for a while, one transaction after the other. */
static void
work(struct office *o, const char *name, unsigned txns)
{
    struct err err = {0};
    const struct app *app = app_find(name);
    CHECK(app != NULL);
    job_tables_init(&o->tables, app, app->units, false);
    CHECK(
        database_open("store:latest", ISOLATION_UNCHANGED, NULL, &o->db, &err));
    const struct driver *d = o->db.driver;
    CHECK(job_tables_load(&o->tables, &o->db, &err));
    CHECK(d->connect(&o->db, 0, 0, &o->connection, &err));
    struct random random;
    random_seed(&random, 5);
    struct jsonl_record record = {0};
    for (unsigned i = 0; i < txns; i++) {
        struct app_txn txn = {.random = &random,
                              .below = random_below,
                              .sessions = 1,
                              .number = i};
        enum outcome outcome;
        jsonl_record_begin(&record, 1);
        CHECK(d->begin(o->connection) == OUTCOME_OK);
        const bool wants =
            job_run(&o->tables, o->connection, &txn,
                    app_draw(app, false, &random), &record, &outcome);
        CHECK(outcome == OUTCOME_OK);
        CHECK((wants ? d->commit : d->abort)(o->connection) == OUTCOME_OK);
    }
    jsonl_record_free(&record);
    CHECK(d->begin(o->connection) == OUTCOME_OK);
}

static void
go_home(struct office *o)
{
    o->db.driver->disconnect(o->connection);
    database_close(&o->db);
}

/* The sum of a column over rows 0 .. n-1. */
static int64_t
sum(struct office *o, size_t table, size_t column, uint64_t n)
{
    int64_t total = 0;
    for (uint64_t row = 0; row < n; row++) {
        const struct cell_place at = {&o->tables.shapes[table], row, column};
        struct driver_read r;
        CHECK(o->db.driver->read_cell(o->connection, &at, &r) == OUTCOME_OK);
        total += r.has_value ? r.value : 0;
    }
    return total;
}

static void
voters_are_counted_once_for_each_vote(void)
{
    struct office o;
    work(&o, "voter", 600);
    CHECK(sum(&o, 0, 0, o.tables.units) > 300);
    CHECK(sum(&o, 0, 0, o.tables.units) == sum(&o, 1, 0, 6));
    go_home(&o);
}

static void
warehouses_have_earned_what_their_districts_have(void)
{
    struct office o;
    work(&o, "tpcc", 600);
    CHECK(sum(&o, 0, 0, 1) > 0);
    CHECK(sum(&o, 0, 0, 1) == sum(&o, 1, 0, 3));
    // As many items were ordered as have left the stock, which is filled up
    // in steps of 91.
    const int64_t left = sum(&o, 3, 0, 20), ordered = sum(&o, 3, 1, 20);
    CHECK((20 * 50 - left + 91 * 1000 - ordered) % 91 == 0);
    go_home(&o);
}

static void
courses_are_as_full_as_students_are_busy(void)
{
    struct office o;
    work(&o, "courseware", 800);
    const uint64_t courses = o.tables.units, students = courses * 4;
    CHECK(sum(&o, 0, 1, courses) > 0);
    CHECK(sum(&o, 0, 1, courses) == sum(&o, 1, 1, students));
    CHECK(sum(&o, 0, 1, courses) == sum(&o, 2, 0, courses * students));
    go_home(&o);
}

static void
followers_are_followed(void)
{
    struct office o;
    work(&o, "twitter", 800);
    const uint64_t n = o.tables.units;
    CHECK(sum(&o, 0, 1, n) > 0);
    CHECK(sum(&o, 0, 1, n) == sum(&o, 0, 2, n));
    CHECK(sum(&o, 0, 1, n) == sum(&o, 2, 0, n * n));
    go_home(&o);
}

static void
bids_are_counted_and_money_stays(void)
{
    struct office o;
    work(&o, "rubis", 800);
    const uint64_t items = o.tables.units, people = items * 2;
    CHECK(sum(&o, 0, 0, people) == (int64_t)people * 100);
    int64_t bids = 0;
    for (uint64_t id = 1; id <= 800; id++) {
        const struct cell_place at = {&o.tables.shapes[2], id, 2};
        struct driver_read r;
        CHECK(o.db.driver->read_cell(o.connection, &at, &r) == OUTCOME_OK);
        bids += r.has_value;
    }
    CHECK(bids > 0 && sum(&o, 1, 1, items) == bids);
    go_home(&o);
}

static void
edits_are_counted(void)
{
    struct office o;
    work(&o, "wikipedia", 600);
    const uint64_t pages = o.tables.units;
    int64_t revisions = 0;
    for (uint64_t id = 1; id <= 600; id++) {
        const struct cell_place at = {&o.tables.shapes[1], id, 2};
        struct driver_read r;
        CHECK(o.db.driver->read_cell(o.connection, &at, &r) == OUTCOME_OK);
        revisions += r.has_value;
    }
    CHECK(revisions > 0 && sum(&o, 2, 0, pages * 2) == revisions);
    go_home(&o);
}

/* --- histories -------------------------------------------------------------*/

static void
every_application_is_as_isolated_as_its_database(void)
{
    static const struct {
        const char *target;
        enum level level;
    } databases[] = {{"store:rc", LEVEL_RC},
                     {"store:cc", LEVEL_CC},
                     {"store:si", LEVEL_SI},
                     {"store:ser", LEVEL_SER},
                     {"sqlite:", LEVEL_SER}};
    for (size_t i = 0; app_list[i]; i++)
        for (size_t k = 0; k < sizeof databases / sizeof databases[0]; k++)
            expect(&(struct expectation){
                .trial = {.target = databases[k].target,
                          .app = app_list[i]->name,
                          .transactions = 200},
                .holds = LEVEL_BIT(databases[k].level),
                .commits = 20,
            });
}

/* With authors a course that is full is full because of somebody; without,
 * many transactions write the same number. */
static void
values_may_repeat(void)
{
    for (size_t i = 0; app_list[i]; i++)
        expect(&(struct expectation){
            .trial = {.target = "store:ser",
                      .app = app_list[i]->name,
                      .transactions = 100,
                      .duplicates = 1},
            .holds = LEVEL_BIT(LEVEL_SER),
            .commits = 20,
        });
}

static void
a_causal_bank_loses_money(void)
{
    expect(&(struct expectation){
        .trial = {.target = "store:cc",
                  .app = "smallbank",
                  .transactions = 400,
                  .keys = 5},
        .holds = LEVEL_BIT(LEVEL_CC),
        .broken = LEVEL_BIT(LEVEL_SER),
        .told = ANOMALY_LOST_UPDATE,
    });
}

int
main(void)
{
    RUN(voters_are_counted_once_for_each_vote);
    RUN(warehouses_have_earned_what_their_districts_have);
    RUN(courses_are_as_full_as_students_are_busy);
    RUN(followers_are_followed);
    RUN(bids_are_counted_and_money_stays);
    RUN(edits_are_counted);
    RUN(every_application_is_as_isolated_as_its_database);
    RUN(values_may_repeat);
    RUN(a_causal_bank_loses_money);
    return test_end();
}
