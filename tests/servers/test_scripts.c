/* test_scripts.c -- SQL files as a workload, on the database that the argument
 * names: postgresql, mariadb or sqlite.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "pipeline/test_run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *target; // an address
static bool is_mariadb, is_sqlite;
static bool cuts_off; // a server of its own loses its connections
static char directory[] = "/tmp/assay-scripts-XXXXXX";

#define TABLES                                                                 \
    "create table c (id int primary key, v int not null, s text); "            \
    "insert into c values (1, 0, 'it''s'), (2, 0, '007'), (3, 0, null);"

/* Write a file into the directory; its path is in the arena. */
static const char *
file(struct arena *arena, const char *name, const char *text)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s", directory, name);
    const char *copy = arena_copy(arena, path.at, path.n);
    FILE *out = fopen(copy, "w");
    CHECK(out && fputs(text, out) >= 0 && fclose(out) == 0);
    buf_free(&path);
    return copy;
}

static size_t left_out; // how often something was said not to be recorded

static void
count_left_out(void *self, const struct err *what)
{
    (void)self;
    left_out += what->line > 0;
}

/* Run scripts; false with an error's text. */
static bool
record(const char *scripts, const char *schema, enum driver_isolation isolation,
       uint64_t sessions, uint64_t transactions, const char *path,
       struct collect_stats *stats, char why[1024])
{
    const struct test_run_options o = {
        .target = cuts_off ? NULL : target,
        .start = cuts_off ? "mariadb" : NULL,
        .faults = cuts_off ? "disconnect@every:0.1" : NULL,
        .scripts = scripts,
        .schema = schema,
        .isolation = isolation,
        .observer = {.left_out = count_left_out},
        .collect = {.shape = {.sessions = sessions, .seed = 1, .values = 1},
                    .transactions = transactions,
                    .pause = 0.001,
                    .patience = 30}};
    struct test_run run;
    struct err err = {0};
    bool ok = test_run_begin(&o, &run, &err);
    if (ok) {
        ok = test_run_record(&run, path, &err);
        *stats = run.stats;
        test_run_end(&run);
    }
    why[0] = 0;
    if (!ok)
        err_format(&err, why, 1024);
    return ok;
}

/* Whether what scripts do holds a level. */
static enum verdict
verdict_in(uint64_t sessions, const char *scripts, const char *schema,
           enum driver_isolation isolation, uint64_t transactions,
           enum level level)
{
    struct arena arena = {0};
    struct collect_stats stats = {0};
    struct trial_result result = {0};
    char why[1024];
    const char *path = file(&arena, "history.jsonl", "");
    const bool ok = record(scripts, schema, isolation, sessions, transactions,
                           path, &stats, why) &&
                    trial_check(path, LEVEL_BIT(level), &result);
    CHECK_TEXT(why, "");
    CHECK(ok && stats.committed > 5);
    arena_free(&arena);
    return result.verdict[level];
}

static enum verdict
verdict_of(const char *scripts, const char *schema,
           enum driver_isolation isolation, uint64_t transactions,
           enum level level)
{
    return verdict_in(4, scripts, schema, isolation, transactions, level);
}

/* A race: it is tried a few times. */
static bool
is_violated(const char *scripts, const char *schema,
            enum driver_isolation isolation, enum level level)
{
    enum verdict v = VERDICT_OK;
    for (int i = 0; i < 20 && v == VERDICT_OK; i++)
        v = verdict_of(scripts, schema, isolation, 120, level);
    return v == VERDICT_VIOLATED;
}

static const char *
example(struct arena *arena, const char *name)
{
    struct buf path = {0};
    buf_printf(&path, "%s/examples/%s", root(), name);
    const char *copy = arena_copy(arena, path.at, path.n);
    buf_free(&path);
    return copy;
}

static void
tpcb_holds_what_was_asked_for(void)
{
    struct arena arena = {0};
    const char *script = example(&arena, "programs/pgbench/tpcb.sql");
    const char *tables = example(&arena, "workloads/tpcb_tables.sql");
    if (!is_mariadb && !is_sqlite) {
        CHECK(verdict_of(script, tables, ISOLATION_READ_COMMITTED, 100,
                         LEVEL_RC) == VERDICT_OK);
        CHECK(verdict_of(script, tables, ISOLATION_REPEATABLE_READ, 100,
                         LEVEL_SI) == VERDICT_OK);
    }
    CHECK(verdict_of(script, tables, ISOLATION_SERIALIZABLE, 100, LEVEL_SER) ==
          VERDICT_OK);
    arena_free(&arena);
}

static void
write_skew_is_found_below_serializable(void)
{
    struct arena arena = {0};
    const char *script = example(&arena, "workloads/on_call.sql");
    const char *tables = example(&arena, "workloads/on_call_tables.sql");
    if (!is_sqlite) {
        CHECK(
            is_violated(script, tables, ISOLATION_REPEATABLE_READ, LEVEL_SER));
        CHECK(verdict_of(script, tables, ISOLATION_REPEATABLE_READ, 100,
                         LEVEL_SI) == VERDICT_OK);
    }
    CHECK(verdict_of(script, tables, ISOLATION_SERIALIZABLE, 100, LEVEL_SER) ==
          VERDICT_OK);
    arena_free(&arena);
}

/* A transaction has the name of its script, the lines that ran, and what they
 * are; operations have their statement. */
static void
histories_name_script_and_line(void)
{
    struct arena arena = {0};
    struct collect_stats stats;
    char why[1024], text[200000] = "";
    const char *path = file(&arena, "named.jsonl", "");
    CHECK(record(example(&arena, "workloads/on_call.sql"),
                 example(&arena, "workloads/on_call_tables.sql"),
                 ISOLATION_SERIALIZABLE, 2, 20, path, &stats, why));
    FILE *in = fopen(path, "r");
    CHECK(in && fread(text, 1, sizeof text - 1, in) > 0);
    if (in)
        fclose(in);
    CHECK(strncmp(text, "{\"recording\":\"begin\"}\n", 22) == 0);
    CHECK(strstr(text, "\"meta\":{\"script\":\"on_call.sql\",\"lines\":[6,"));
    CHECK(strstr(text, "WHERE team = :team AND name <> :name AND on_call\","));
    CHECK(strstr(text, "[\"statement\",1]"));
    CHECK(strstr(text, "{\"recording\":\"end\"}"));
    arena_free(&arena);
}

static void
values_that_are_read_can_be_written(void)
{
    struct arena arena = {0};
    const char *tables = file(&arena, "tables.sql", TABLES);
    struct buf script = {0};
    buf_printf(&script,
               "\\set k random(1, 2)\n%s;\nSELECT DISTINCT v, s AS name, v + 1 "
               "AS next FROM c WHERE id = :k %s\\gset\nUPDATE c SET v = :next, "
               "s = :name WHERE id = :k AND v = :v AND s = :name;\nCOMMIT;\n",
               is_sqlite ? "BEGIN IMMEDIATE" : "BEGIN",
               is_sqlite ? "" : "FOR UPDATE ");
    // A lock with DISTINCT is refused.
    if (!is_sqlite)
        memmove(strstr(script.at, "DISTINCT "), "         ", 9);
    const char *locks = file(&arena, "locks.sql", script.at);
    const char *plain =
        file(&arena, "plain.sql",
             "\\set k random(1, 3)\nBEGIN;\nSELECT v FROM c WHERE id = :k "
             "\\gset\nUPDATE c SET v = :v + 1 WHERE id = :k;\nCOMMIT;\n");
    CHECK(verdict_of(locks, tables, ISOLATION_READ_COMMITTED, 100, LEVEL_SER) ==
          VERDICT_OK);
    if (is_sqlite)
        CHECK(verdict_of(plain, tables, ISOLATION_SERIALIZABLE, 200,
                         LEVEL_SER) == VERDICT_OK);
    else
        CHECK(is_violated(plain, tables, ISOLATION_READ_COMMITTED, LEVEL_SER));
    if (is_mariadb) // it lets updates get lost, too
        CHECK(is_violated(plain, tables, ISOLATION_REPEATABLE_READ, LEVEL_SI));
    buf_free(&script);
    arena_free(&arena);
}

static void
statements_alone_and_savepoints_are_recorded(void)
{
    struct arena arena = {0};
    const char *tables = file(&arena, "tables.sql", TABLES);
    struct buf script = {0}, mixed = {0};
    buf_printf(
        &script,
        "\\set k random(1, 6)\ninsert into c values (:k, 1, 'x') %s;\nselect "
        "count(*), max(v) as top from c where v > 1 \\gset x_\n\\if :x_count > "
        "3 and :k %% 2 = 0\ndelete from c where id = :k returning v \\gset "
        "old_\n\\endif\nselect * from c where id between :k - 1 and :k + 1 "
        "order by id;\n",
        is_mariadb ? "on duplicate key update v = v + 1"
                   : "on conflict (id) do update set v = c.v + 1");
    const char *alone = file(&arena, "alone.sql", script.at);
    const char *both = file(
        &arena, "undo.sql",
        "BEGIN;\nUPDATE c SET v = v + 1 WHERE id = 1;\nSAVEPOINT a;\nUPDATE c "
        "SET v = v - 10 WHERE id = 2;\nSELECT * FROM c WHERE v < 0;\nROLLBACK "
        "TO a;\nSELECT sum(v) FROM c;\nCOMMIT;\n");
    buf_printf(&mixed, "%s@3,%s", alone, both);
    left_out = 0;
    CHECK(verdict_in(1, mixed.at, tables, ISOLATION_READ_COMMITTED, 60,
                     LEVEL_SER) == VERDICT_OK);
    CHECK(left_out == 1); // what was read beside what a savepoint undid
    CHECK(verdict_of(mixed.at, tables, ISOLATION_READ_COMMITTED, 100,
                     LEVEL_RC) == VERDICT_OK);
    CHECK(verdict_of(mixed.at, tables, ISOLATION_SERIALIZABLE, 100,
                     LEVEL_SER) == VERDICT_OK);
    buf_free(&script);
    buf_free(&mixed);
    arena_free(&arena);
}

/* An error ends the transaction, also where the database would let it go
 * on. */
static void
a_statement_that_fails_ends_its_transaction(void)
{
    struct arena arena = {0};
    struct collect_stats stats = {0};
    struct trial_result result = {0};
    char why[1024];
    const char *tables = file(&arena, "tables.sql", TABLES);
    const char *script =
        file(&arena, "twice.sql",
             "\\set k random(1, 2)\nBEGIN;\nUPDATE c SET v = v + 1 WHERE id = "
             "1;\nINSERT INTO c (id, v) VALUES (:k + 2, 0);\nINSERT INTO c "
             "(id) VALUES (9);\nCOMMIT;\n");
    const char *path = file(&arena, "history.jsonl", "");
    CHECK(record(script, tables, ISOLATION_SERIALIZABLE, 1, 20, path, &stats,
                 why));
    CHECK_TEXT(why, "");
    CHECK(stats.committed == 0 && stats.aborted == 20 && stats.n_failures == 2);
    CHECK(trial_check(path, LEVEL_BIT(LEVEL_SER), &result) &&
          result.verdict[LEVEL_SER] == VERDICT_OK);
    script = file(&arena, "fails.sql", "insert into c (id) values (9);");
    CHECK(!record(script, tables, ISOLATION_SERIALIZABLE, 1, 3, path, &stats,
                  why));
    CHECK(strstr(why, "the first error was 'insert into c (id) values (9)': "));
    arena_free(&arena);
}

/* Also between a statement and the question what its triggers told. */
static void
lost_connections_are_no_mistake(void)
{
    struct arena arena = {0};
    const char *script = example(&arena, "workloads/on_call.sql");
    const char *tables = example(&arena, "workloads/on_call_tables.sql");
    cuts_off = true;
    CHECK(verdict_of(script, tables, ISOLATION_SERIALIZABLE, 200, LEVEL_SER) ==
          VERDICT_OK);
    cuts_off = false;
    arena_free(&arena);
}

/* Why scripts are refused. */
static const char *
refusal_of(const char *script, const char *tables)
{
    static char why[1024];
    struct collect_stats stats;
    CHECK(!record(script, tables, ISOLATION_SERIALIZABLE, 4, 10, NULL, &stats,
                  why));
    const char *slash = strrchr(why, '/');
    return slash ? slash + 1 : why;
}

static void
what_is_not_understood_is_refused_before_the_run(void)
{
    struct arena arena = {0};
    const char *tables = file(&arena, "tables.sql", TABLES);
    CHECK_TEXT(
        refusal_of(file(&arena, "f.sql", "\n\nselect mine(v) from c;"), tables),
        "f.sql:3: not understood, so not run: what the function 'mine' "
        "reads and writes is not known");
    CHECK_TEXT(refusal_of(file(&arena, "f.sql", "select * from d;"), tables),
               "f.sql:1: not understood, so not run: unknown table 'd': the "
               "setup does not create it");
    CHECK_TEXT(
        refusal_of(file(&arena, "f.sql", "delete from c \\gset"), tables),
        "f.sql:1: not understood, so not run: found a statement that "
        "returns nothing, expected one with values for \\gset");
    CHECK_TEXT(refusal_of(file(&arena, "f.sql",
                               "select exists (select 1 from c for update) as "
                               "e \\gset"),
                          tables),
               "f.sql:1: not understood, so not run: a lock in EXISTS before "
               "\\gset");
    const char *why = refusal_of(file(&arena, "f.sql", "select v from c;"),
                                 file(&arena, "bad.sql", "create tabel c ();"));
    CHECK(strstr(why, "bad.sql: the setup failed at 'create tabel c ()"));
    arena_free(&arena);
}

static void
tables_of_others_are_left_alone(void)
{
    struct arena arena = {0};
    struct database db;
    struct connection *c;
    struct err err = {0};
    struct result_rows rows = {0};
    const char *tables = file(&arena, "tables.sql", TABLES);
    CHECK(database_open(target, ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(db.driver->connect(&db, 0, 0, &c, &err));
    CHECK(db.driver->query(c, "create table c (precious int)", NULL) ==
          OUTCOME_OK);
    CHECK_TEXT(refusal_of(file(&arena, "f.sql", "select * from c;"), tables),
               "the database already has a table 'c', expected none");
    CHECK(db.driver->query(c, "select precious from c", &rows) == OUTCOME_OK);
    CHECK(db.driver->query(c, "drop table c", NULL) == OUTCOME_OK);
    CHECK_TEXT(refusal_of(file(&arena, "f.sql", "select * from d;"), tables),
               "f.sql:1: not understood, so not run: unknown table 'd': the "
               "setup does not create it");
    CHECK(db.driver->query(c, "select v from c", &rows) == OUTCOME_FAILED);
    result_rows_free(&rows);
    c->driver->disconnect(c);
    database_close(&db);
    arena_free(&arena);
}

static struct connection *other;

/* The tables of the run are there by now. */
static void
make_table(void *self, const struct err *what)
{
    (void)self;
    (void)what;
    CHECK(other->driver->query(other, "create table meanwhile (precious int)",
                               NULL) == OUTCOME_OK);
}

static void
tables_that_others_make_meanwhile_are_left_alone(void)
{
    struct arena arena = {0};
    struct database db;
    struct err err = {0};
    struct test_run run;
    struct result_rows rows = {0};
    const struct test_run_options o = {
        .target = target,
        .scripts = file(&arena, "f.sql",
                        "select v from c order by id limit 1 offset 1;"),
        .schema = file(&arena, "tables.sql", TABLES),
        .isolation = ISOLATION_SERIALIZABLE,
        .observer = {.left_out = make_table},
        .collect = {.shape = {.sessions = 1, .seed = 1, .values = 1},
                    .transactions = 3,
                    .patience = 30}};
    CHECK(database_open(target, ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(db.driver->connect(&db, 0, 0, &other, &err));
    CHECK(test_run_begin(&o, &run, &err));
    CHECK(test_run_record(&run, file(&arena, "history.jsonl", ""), &err));
    CHECK_TEXT(err.text, "");
    test_run_end(&run);
    CHECK(db.driver->query(other, "drop table meanwhile", NULL) == OUTCOME_OK);
    CHECK(db.driver->query(other, "select v from c", &rows) == OUTCOME_FAILED);
    result_rows_free(&rows);
    other->driver->disconnect(other);
    database_close(&db);
    arena_free(&arena);
}

int
main(int argc, char **argv)
{
    struct servers servers;
    struct buf address = {0}, command = {0};
    CHECK(argc == 2);
    if (!row_statement_load()) {
        printf("1..0 # SKIP PostgreSQL's parser is not there\n");
        return 0;
    }
    is_mariadb = strcmp(argv[1], "mariadb") == 0;
    is_sqlite = strcmp(argv[1], "sqlite") == 0;
    if (!is_sqlite && !start_or_skip(argv[1], &servers))
        return 0;
    CHECK(mkdtemp(directory) != NULL);
    buf_printf(&address, "sqlite:%s/db", directory);
    target = is_sqlite ? address.at : servers.url;
    RUN(tpcb_holds_what_was_asked_for);
    RUN(write_skew_is_found_below_serializable);
    RUN(histories_name_script_and_line);
    RUN(values_that_are_read_can_be_written);
    RUN(statements_alone_and_savepoints_are_recorded);
    RUN(a_statement_that_fails_ends_its_transaction);
    if (is_mariadb)
        RUN(lost_connections_are_no_mistake);
    RUN(what_is_not_understood_is_refused_before_the_run);
    RUN(tables_of_others_are_left_alone);
    RUN(tables_that_others_make_meanwhile_are_left_alone);
    if (!is_sqlite)
        servers_stop(&servers);
    buf_printf(&command, "rm -rf %s", directory);
    CHECK(system(command.at) == 0);
    buf_free(&command);
    buf_free(&address);
    return test_end();
}
