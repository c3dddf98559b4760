/* test_rows_meaning.c -- what decides what a statement means, and is not in its
 * text: functions that it does not name, collations of indexes, settings of
 * sessions.  It is said, or refused by name.  And what other runs do.  On the
 * server that is named, 'postgresql' or 'mariadb'.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "pipeline/spec_run.h"
#include "spec/row/row_setup.h"

#include <string.h>
#include <unistd.h>

struct meaning {
    const char *server;
    const char *setup, *teardown;
    const char *statement;
    const char *set1, *set2; // for each connection in turn, or NULL
    const char *said;        // "" if it is recorded completely
};

#define PG "postgresql"
#define MARIA "mariadb"
#define T                                                                      \
    "create table t (id int primary key, v int); insert into t values (1, 1)"
#define DROP "drop table t"
#define READER(arguments, type)                                                \
    "create table u (v int); create function f(" arguments ") returns " type   \
    " language sql as 'select count(*) >= 0 from u'; "
#define DROP_ALL                                                               \
    "drop table if exists t; drop domain if exists d; drop operator if "       \
    "exists === (int, int); drop function if exists f cascade; drop table u"
#define CALLS "what functions in its defaults, constraints and indexes read"
#define COLLATION                                                              \
    "create collation ci (provider = icu, locale = 'und-u-ks-level2', "        \
    "deterministic = false); create table t (id int primary key, s text, c "   \
    "text collate ci)"
#define COMPARES                                                               \
    "what exclusion constraints and unique indexes of NULL or with another "   \
    "collation read"

static const struct meaning meanings[] = {
    // Functions that are called and not named.
    {PG, READER("", "bool") "create table t (id int, b bool default f())",
     DROP_ALL, "insert into t (id) values (1)", NULL, NULL, CALLS},
    {PG, READER("", "bool") "create table t (id int, b bool default f())",
     DROP_ALL, "select * from t", NULL, NULL, ""},
    {PG, READER("int", "bool") "create table t (id int check (f(id)))",
     DROP_ALL, "insert into t values (1)", NULL, NULL, CALLS},
    {PG,
     READER("int", "bool") "alter function f(int) immutable; create table t "
                           "(id int); create index on t (f(id))",
     DROP_ALL, "insert into t values (1)", NULL, NULL, CALLS},
    {PG,
     READER("int", "bool") "alter function f(int) immutable; create table t "
                           "(id int, b bool generated always as (f(id)) "
                           "stored)",
     DROP_ALL, "insert into t values (1)", NULL, NULL, CALLS},
    {PG,
     READER("int", "bool") "create table t (id int) partition by list (id); "
                           "create table t1 partition of t (check (f(id))) "
                           "default",
     DROP_ALL, "insert into t values (1)", NULL, NULL, CALLS},
    {PG,
     READER("int", "bool") "alter function f(int) immutable; create table t "
                           "(id int) partition by list (f(id)); create table "
                           "t1 partition of t default",
     DROP_ALL, "insert into t values (1)", NULL, NULL, CALLS},
    {PG,
     READER("int", "bool") "create domain d as int check (f(value)); create "
                           "table t (id d)",
     DROP_ALL, "insert into t values (1)", NULL, NULL, CALLS},
    {PG, READER("int", "bool") "create domain d as int check (f(value)); " T,
     DROP_ALL, "select 1::d from t", NULL, NULL,
     "what the checks of the type 'd' read is not known"},
    {PG,
     READER("int, int", "bool") "create operator === (leftarg = int, rightarg "
                                "= int, function = f); " T,
     DROP_ALL, "select * from t where id === 1", NULL, NULL,
     "what the operator '===' reads is not known"},
    {PG,
     READER("int, int", "bool") "create operator === (leftarg = int, rightarg "
                                "= int, function = f); " T,
     DROP_ALL, "select * from t where id = 1", NULL, NULL, ""},
    {PG,
     "create table u (v int); create type e as enum ('a', 'b'); create "
     "function f(e) returns int language sql as 'select count(*)::int from u'; "
     "create cast (e as int) with function f(e) as implicit; " T,
     "drop table t; drop cast (e as int); drop function f(e); drop type e; "
     "drop table u",
     "select * from t", NULL, NULL,
     "table 't': a cast calls a function of a user"},
    {MARIA,
     T "; create function total(a int) returns int reads sql data return "
       "(select count(*) from t)",
     "drop table t; drop function total", "select total(id) from t", NULL, NULL,
     "what the function 'total' reads and writes is not known"},
    {MARIA, T, DROP, "select other.lower(id) from t", NULL, NULL,
     "what the function 'lower' reads and writes is not known"},
    {MARIA, T, DROP, "select position('a' in id) from t", NULL, NULL, ""},

    // Values that are equal in an index and not in its table.
    {PG, COLLATION "; create unique index on t (s collate ci)",
     DROP "; drop collation ci", "insert into t values (1)", NULL, NULL,
     COMPARES},
    {PG, COLLATION "; create unique index on t (c collate \"C\")",
     DROP "; drop collation ci", "insert into t values (1)", NULL, NULL,
     COMPARES},
    {PG, COLLATION "; create unique index on t ((c || 'x') collate \"C\")",
     DROP "; drop collation ci", "insert into t values (1)", NULL, NULL,
     COMPARES},
    {PG,
     COLLATION "; create unique index on t (c); create unique index on t (s "
               "collate \"C\"); create unique index on t (s text_pattern_ops)",
     DROP "; drop collation ci", "insert into t values (1)", NULL, NULL, ""},

    // Settings of sessions.
    {PG, T, DROP, "select * from t", "set timezone = 'Asia/Tokyo'",
     "set timezone = 'UTC'",
     "TimeZone is 'Asia/Tokyo' in one session and 'UTC' in another one, "
     "expected the same: conditions are evaluated once for all"},
    {PG, T, DROP, "select * from t", "set datestyle = 'ISO, DMY'",
     "set datestyle = 'SQL, DMY'; set datestyle = 'ISO, DMY'", ""},
    {PG, T, DROP, "select * from t", "set extra_float_digits = 3",
     "set extra_float_digits = 1", ""},
    {PG, T, DROP, "select * from t", "set extra_float_digits = 0", NULL,
     "extra_float_digits is '0', expected '1': statements mean something "
     "else"},
    {PG, T, DROP, "delete from t", "set session_replication_role = replica",
     NULL,
     "session_replication_role is 'replica', expected 'origin': statements "
     "mean something else"},
    {MARIA, T, DROP, "select * from t", "set sql_mode = 'ANSI_QUOTES'",
     "set sql_mode = ''",
     "sql_mode is 'ANSI_QUOTES' in one session and '' in another one, expected "
     "the same: conditions are evaluated once for all"},
    {MARIA, T, DROP, "select * from t", "set sql_select_limit = 1", NULL,
     "sql_select_limit is '1', expected '18446744073709551615': statements "
     "mean something else"},
    {MARIA, "create table t (id int(5) zerofill primary key)", DROP,
     "select * from t", NULL, NULL, "table 't': a column has ZEROFILL"},
};

static struct servers servers;

static void
note(char said[512], const struct err *err)
{
    static const char *const heads[] = {"not recorded, so not checked: ",
                                        "not understood, so not checked: "};
    const char *text = err->text;
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (strncmp(text, heads[i], strlen(heads[i])) == 0)
            text += strlen(heads[i]);
    snprintf(said, 512, "%s", text);
}

static void
note_left_out(void *self, const struct err *what)
{
    note(self, what);
}

static void
note_result(void *self, const struct spec_run_result *result)
{
    if (result->end == SPEC_RUN_REFUSED)
        note(self, &result->err);
}

static void
play(const struct meaning *m)
{
    char path[] = "/tmp/assay-rows-XXXXXX", said[512] = "";
    const char *const sets[] = {m->set1, m->set2};
    struct buf text = {0};
    struct err err = {0};
    struct history_file recording = {0};
    struct spec_run_tally tally = {0};
    const struct spec_run_options o = {
        .spec = path,
        .target = servers.url,
        .isolation = ISOLATION_UNCHANGED,
        .setups = {.at = sets, .n = !!m->set1 + (size_t) !!m->set2},
        .recording = &recording,
        .self = said,
        .left_out = note_left_out,
        .visit = note_result};
    const int fd = mkstemp(path);
    buf_printf(&text,
               "setup { %s }\nteardown { %s }\nsession a\nstep x { %s }\n",
               m->setup, m->teardown, m->statement);
    CHECK(fd >= 0 && write(fd, text.at, text.n) == (ssize_t)text.n);
    close(fd);
    CHECK(history_file_open(&recording, NULL, &err));
    if (!spec_run(&o, &tally, &err))
        note(said, &err);
    CHECK_TEXT(said, m->said);
    history_file_close(&recording);
    buf_free(&text);
    unlink(path);
}

static const char *server;

static void
what_is_not_in_a_statement_is_said(void)
{
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        if (strcmp(meanings[i].server, server) == 0)
            play(&meanings[i]);
}

static bool
does(struct connection *c, const char *sql)
{
    return c->driver->query(c, sql, NULL) == OUTCOME_OK;
}

/* What one run removes at its end, another one in the same database keeps. */
static void
runs_beside_each_other_are_recorded(void)
{
    struct database db;
    struct connection *c;
    struct err err = {0};
    struct watched nothing, first, both, second;
    struct result_rows rows = {0};
    CHECK(database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(db.driver->connect(&db, 0, 0, &c, &err));
    CHECK(watched_read(c, NULL, &nothing, &err));
    CHECK(does(c, "create table a (id int)"));
    CHECK(watched_read(c, NULL, &both, &err));
    CHECK(watched_read(c, &nothing, &first, &err));
    CHECK(does(c, "create table b (id int)"));
    CHECK(watched_read(c, &both, &second, &err));
    CHECK(first.tables.n == 1 && second.tables.n == 1);
    CHECK(watched_install(&first, c, &err) &&
          watched_install(&second, c, &err));
    CHECK_TEXT(err.text, "");
    CHECK(does(c, "drop table b"));
    watched_remove(&second, c);
    const bool is_pg = strcmp(server, PG) == 0;
    CHECK(c->driver->query(c,
                           is_pg ? "select count(*) from pg_trigger where "
                                   "tgrelid = 'a'::regclass"
                                 : "select count(*) from "
                                   "information_schema.triggers where "
                                   "event_object_table = 'a'",
                           &rows) == OUTCOME_OK);
    CHECK_TEXT(result_rows_get(&rows, 0, 0), is_pg ? "2" : "5");
    CHECK(does(c, "drop table a"));
    watched_remove(&first, c);
    CHECK(c->driver->query(c,
                           is_pg ? "select count(*) from pg_proc where proname "
                                   "~ '^assay'"
                                 : "select 0",
                           &rows) == OUTCOME_OK);
    CHECK_TEXT(result_rows_get(&rows, 0, 0), "0");
    result_rows_free(&rows);
    watched_free(&nothing);
    watched_free(&first);
    watched_free(&both);
    watched_free(&second);
    c->driver->disconnect(c);
    database_close(&db);
}

/* Tables that others make while the setup runs are theirs; also one that was
 * there first, so that the setup fails. */
static void
a_setup_takes_no_tables_of_others(void)
{
    struct database db;
    struct connection *c;
    struct err err = {0};
    struct watched before, made = {0}, none = {0}, seen;
    CHECK(database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(db.driver->connect(&db, 0, 0, &c, &err));
    CHECK(watched_read(c, NULL, &before, &err));
    CHECK(does(c, "create table other (id int)"));
    CHECK(row_setup_make(c, &before, "create table a (id int)", &made, &err));
    CHECK(row_setup_make(c, &before, "create table b (id int)", &made, &err));
    CHECK(does(c, "create table another (id int)"));
    CHECK(row_setup_watch(&db, &before, &made, &seen, &err));
    CHECK_TEXT(err.text, "");
    CHECK(made.tables.n == 2 && seen.tables.n == 2);
    row_setup_remove(c, &made);
    CHECK(!row_setup_make(c, &before, "create table other (id int)", &none,
                          &err));
    CHECK(none.tables.n == 0);
    row_setup_remove(c, &none);
    CHECK(does(c, "drop table other") && does(c, "drop table another"));
    watched_free(&before);
    watched_free(&made);
    watched_free(&none);
    watched_free(&seen);
    c->driver->disconnect(c);
    database_close(&db);
}

int
main(int argc, char **argv)
{
    CHECK(argc == 2);
    server = argv[1];
    if (!row_statement_load()) {
        printf("1..0 # SKIP PostgreSQL's parser is not there\n");
        return 0;
    }
    if (!start_or_skip(server, &servers))
        return 0;
    RUN(what_is_not_in_a_statement_is_said);
    RUN(runs_beside_each_other_are_recorded);
    RUN(a_setup_takes_no_tables_of_others);
    servers_stop(&servers);
    return test_end();
}
