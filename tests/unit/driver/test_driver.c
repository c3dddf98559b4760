/* test_driver.c -- targets are taken apart, and embedded databases answer.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "driver/driver.h"
#include "driver/server_error.h"
#include "driver/sql/sql.h"

static void
a_url_is_taken_apart(void)
{
    struct url u;
    struct err err = {0};
    CHECK(url_parse("mariadb://me:se%40cret@one:3306,[::1]:3307,three/d%2Fb"
                    "?socket=/tmp/x&a=b",
                    &u, &err));
    CHECK_TEXT(u.scheme, "mariadb");
    CHECK_TEXT(u.user, "me");
    CHECK_TEXT(u.password, "se@cret");
    CHECK(u.hosts.n == 3);
    CHECK_TEXT(u.hosts.at[0].name, "one");
    CHECK_TEXT(u.hosts.at[0].port, "3306");
    CHECK_TEXT(u.hosts.at[1].name, "::1");
    CHECK_TEXT(u.hosts.at[1].port, "3307");
    CHECK_TEXT(u.hosts.at[2].port, "");
    CHECK_TEXT(u.path, "d/b");
    CHECK_TEXT(url_get(&u, "a", "no"), "b");
    CHECK_TEXT(url_get(&u, "c", "no"), "no");
    struct arena arena = {0};
    CHECK_TEXT(url_of_host(&u, 1, &arena),
               "mariadb://me:se%40cret@[::1]:3307/d%2Fb?socket=%2Ftmp%2Fx&a=b");
    arena_free(&arena);
    url_free(&u);
}

static void
paths_need_no_host(void)
{
    struct url u;
    struct err err = {0};
    CHECK(url_parse("sqlite:/tmp/a b.db?journal=wal", &u, &err));
    CHECK(!u.has_hosts);
    CHECK_TEXT(u.path, "/tmp/a b.db");
    url_free(&u);
    CHECK(url_parse("store:cc", &u, &err));
    CHECK_TEXT(u.path, "cc");
    url_free(&u);
}

static void
what_is_no_target_is_refused(void)
{
    static const char *const targets[] = {
        "",
        "history.jsonl",
        "/tmp/x",
        "oracle:x",
        "store:",
        "store:strict-ser",
        "store:nope",
        "store:cc?frsh=1",
        "store:cc?fresh=2",
        "store:cc?x",
        "sqlite:?journal=no",
        "mariadb:x",
    };
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        struct database db;
        struct err err = {0};
        CHECK(!database_open(targets[i], ISOLATION_UNCHANGED, NULL, &db, &err));
        CHECK(err.kind == ERR_USAGE || err.kind == ERR_FEATURE);
    }
}

static void
isolation_levels_have_the_names_of_sql(void)
{
    enum driver_isolation i;
    CHECK(driver_isolation_parse("repeatable-read", &i) &&
          i == ISOLATION_REPEATABLE_READ);
    CHECK(driver_isolation_parse("READ UNCOMMITTED", &i) &&
          i == ISOLATION_READ_UNCOMMITTED);
    CHECK(!driver_isolation_parse("serial", &i));
    CHECK(driver_isolation_for(LEVEL_SER) == ISOLATION_SERIALIZABLE);
    CHECK(driver_isolation_for(LEVEL_SI) == ISOLATION_REPEATABLE_READ);
    CHECK(driver_isolation_for(LEVEL_RC) == ISOLATION_READ_COMMITTED);
}

static bool
has_sqlite(void)
{
    struct err err = {0};
    if (driver_is_built("sqlite", &err))
        return true;
    SKIP("this build leaves SQLite out");
    return false;
}

/* One session after the other on registers and lists. */
static void
transactions_take_effect(const char *target)
{
    struct database db;
    struct err err = {0};
    CHECK(database_open(target, ISOLATION_UNCHANGED, NULL, &db, &err));
    const struct driver *d = db.driver;
    CHECK(d->load(&db, 5, KEYS_REGISTERS, &err) &&
          d->load(&db, 5, KEYS_LISTS, &err));
    struct connection *a = NULL, *b = NULL;
    CHECK(d->connect(&db, 0, 0, &a, &err) && d->connect(&db, 1, 0, &b, &err));
    struct driver_read r;
    int_vec list = {0};
    bool missing = true;
    CHECK(d->begin(a) == OUTCOME_OK);
    CHECK(d->read(a, 3, &r) == OUTCOME_OK && !r.has_value);
    CHECK(d->write(a, 3, -7, &missing) == OUTCOME_OK && !missing);
    CHECK(d->read(a, 3, &r) == OUTCOME_OK && r.has_value && r.value == -7);
    CHECK(d->append(a, 4, 1, &missing) == OUTCOME_OK && !missing);
    CHECK(d->append(a, 4, 22, &missing) == OUTCOME_OK && !missing);
    CHECK(d->commit(a) == OUTCOME_OK);
    CHECK(d->begin(b) == OUTCOME_OK);
    CHECK(d->read(b, 3, &r) == OUTCOME_OK && r.value == -7);
    CHECK(d->read_list(b, 4, &list) == OUTCOME_OK);
    CHECK(list.n == 2 && list.at[0] == 1 && list.at[1] == 22);
    CHECK(d->write(b, 3, 8, &missing) == OUTCOME_OK && !missing);
    CHECK(d->abort(b) == OUTCOME_OK);
    CHECK(d->begin(a) == OUTCOME_OK);
    CHECK(d->read(a, 3, &r) == OUTCOME_OK && r.value == -7);
    CHECK(d->commit(a) == OUTCOME_OK);
    vec_free(&list);
    d->disconnect(a);
    d->disconnect(b);
    database_close(&db);
}

static void
the_store_keeps_registers_and_lists(void)
{
    transactions_take_effect("store:latest");
}

static void
sqlite_keeps_registers_and_lists(void)
{
    if (!has_sqlite())
        return;
    transactions_take_effect("sqlite:");
    transactions_take_effect("sqlite:?journal=wal");
    transactions_take_effect("sqlite:?cache=shared");
}

static void
conflicts_abort_and_mistakes_fail(void)
{
    if (!has_sqlite())
        return;
    struct database db;
    struct err err = {0};
    CHECK(database_open("sqlite:", ISOLATION_UNCHANGED, NULL, &db, &err));
    const struct driver *d = db.driver;
    CHECK(d->load(&db, 2, KEYS_REGISTERS, &err));
    struct connection *a = NULL, *b = NULL;
    struct driver_read r;
    bool missing;
    CHECK(d->connect(&db, 0, 0, &a, &err) && d->connect(&db, 1, 0, &b, &err));
    CHECK(d->begin(a) == OUTCOME_OK && d->begin(b) == OUTCOME_OK);
    CHECK(d->read(a, 0, &r) == OUTCOME_OK && d->read(b, 0, &r) == OUTCOME_OK);
    CHECK(d->write(a, 0, 1, &missing) == OUTCOME_OK && !missing);
    CHECK(d->write(b, 0, 2, &missing) == OUTCOME_ABORTED && !missing);
    CHECK(d->abort(b) == OUTCOME_OK);
    CHECK(d->commit(a) == OUTCOME_OK);
    CHECK(d->query(b, "select nonsense", NULL) == OUTCOME_FAILED);
    CHECK(b->message[0]);
    struct result_rows rows = {0};
    CHECK(d->query(b, "select 1, null union select 2, 'x' order by 1", &rows) ==
          OUTCOME_OK);
    CHECK(rows.n == 2 && rows.width == 2 && rows.cells.at[1].is_null);
    CHECK_TEXT(result_rows_get(&rows, 1, 1), "x");
    CHECK(!sql_run(b, "select 1; select nonsense", &err));
    CHECK(err.kind == ERR_IO);
    result_rows_free(&rows);
    d->disconnect(a);
    d->disconnect(b);
    database_close(&db);
}

static void
codes_tell_what_an_error_means(void)
{
    static const struct {
        const char *scheme, *code, *message;
        enum server_error error;
    } cases[] = {
        {"postgresql", "XX000", "cache lookup failed", SERVER_ERROR_INTERNAL},
        {"postgresql", "XX002", "index is broken", SERVER_ERROR_DAMAGE},
        {"postgresql", "57P02", "", SERVER_ERROR_CRASH},
        {"postgresql", "57P01", "", SERVER_ERROR_OTHER},
        {"postgresql", "42501", "", SERVER_ERROR_PERMISSION},
        {"postgresql", "42601", "", SERVER_ERROR_SYNTAX},
        {"postgresql", "23505", "", SERVER_ERROR_REFUSED},
        {"postgresql", "53100", "disk full", SERVER_ERROR_OTHER},
        {"firebird", "42000", "", SERVER_ERROR_SYNTAX},
        {"exec", "42000", "", SERVER_ERROR_SYNTAX},
        {"exec", "42", "", SERVER_ERROR_OTHER},
        {"exec", "lost", "the program ended by signal 9", SERVER_ERROR_CRASH},
        {"mariadb", "1142", "", SERVER_ERROR_PERMISSION},
        {"mariadb", "1064", "", SERVER_ERROR_SYNTAX},
        {"mariadb", "10640", "", SERVER_ERROR_OTHER},
        {"mariadb", "2013", "lost connection", SERVER_ERROR_OTHER},
        {"mariadb", "1062", "", SERVER_ERROR_REFUSED},
        {"sqlite", "SQLITE_CONSTRAINT_UNIQUE", "", SERVER_ERROR_REFUSED},
        {"sqlite", "SQLITE_CORRUPT", "", SERVER_ERROR_DAMAGE},
        {"sqlite", "SQLITE_IOERR", "", SERVER_ERROR_OTHER},
        {"sqlite", "1", "no such table: t", SERVER_ERROR_SYNTAX},
        {"duckdb", "9", "INTERNAL Error: oops", SERVER_ERROR_INTERNAL},
        {"duckdb", "9", "Parser Error: oops", SERVER_ERROR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (server_error_find(cases[i].scheme, cases[i].code,
                              cases[i].message) != cases[i].error) {
            printf("# %s %s\n", cases[i].scheme, cases[i].code);
            CHECK(!"the class is the expected one");
        }
}

int
main(void)
{
    RUN(codes_tell_what_an_error_means);
    RUN(a_url_is_taken_apart);
    RUN(paths_need_no_host);
    RUN(what_is_no_target_is_refused);
    RUN(isolation_levels_have_the_names_of_sql);
    RUN(the_store_keeps_registers_and_lists);
    RUN(sqlite_keeps_registers_and_lists);
    RUN(conflicts_abort_and_mistakes_fail);
    return test_end();
}
