/* test_interleave.c -- what an interleaving records: on SQLite, and on a
 * database whose answers are bad.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "driver/sql/sql.h"
#include "spec/interleave.h"

#include <stdlib.h>
#include <unistd.h>

#define T "create table t (id int primary key, v int);"

/* One interleaving and the history that it left, without times. */
struct show {
    bool ok;
    struct interleaved interleaved;
    struct err err;
    char lines[4096];
};

static void
read_lines(const char *path, struct show *out)
{
    char line[1024];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        char *times = strstr(line, ",\"start\"");
        if (times)
            *times = 0;
        strncat(out->lines, line, sizeof out->lines - strlen(out->lines) - 2);
        strncat(out->lines, "\n", 2);
    }
    if (file)
        fclose(file);
}

static void
play_on(struct database *db, const char *text, struct show *out)
{
    const struct interleave_options o = {.patience = 0.2, .limit = 2};
    struct spec spec;
    struct script script;
    u32_vec order = {0};
    char path[] = "/tmp/assay-interleave-XXXXXX";
    const int fd = mkstemp(path);
    *out = (struct show){0};
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(spec_parse(text, strlen(text), &spec, &out->err));
    script_read(&spec, flavour_of(db->driver->scheme), NULL, &script);
    CHECK(spec_next(&spec, 0, &order));
    const uint32_t refusal = script_refuses(&script, &order);
    if (refusal != SCRIPT_UNDERSTOOD)
        printf("# %s\n", script.refusals.at[refusal].text);
    CHECK(refusal == SCRIPT_UNDERSTOOD);
    if (refusal == SCRIPT_UNDERSTOOD)
        out->ok = interleave_run(&script, db, &order, &o, path,
                                 &out->interleaved, &out->err);
    read_lines(path, out);
    if (out->interleaved.refusal[0] || out->err.kind)
        printf("# %s%s\n", out->interleaved.refusal, out->err.text);
    unlink(path);
    vec_free(&order);
    script_free(&script);
    spec_free(&spec);
}

/* --- on SQLite -------------------------------------------------------------*/

static bool
has_sqlite(void)
{
    struct err err = {0};
    const bool ok = driver_is_built("sqlite", &err);
    if (!ok)
        SKIP("this build leaves SQLite out");
    return ok;
}

static void
interleave(const char *text, struct show *out)
{
    struct err err = {0};
    struct database db;
    const bool ok =
        database_open("sqlite:", ISOLATION_UNCHANGED, NULL, &db, &err);
    CHECK(ok);
    *out = (struct show){0};
    if (ok) {
        play_on(&db, text, out);
        database_close(&db);
    }
}

/* The operations of one row in the setup, behind the key's. */
#define ROW(key, v)                                                            \
    "{\"session\":\"setup\",\"ops\":[[\"w\",\"t:1:v\"," v                      \
    "],[\"w\",\"t:1:id\"," key "]]\n"
#define MARK "{\"session\":\"setup\",\"ops\":[[\"w\",\"setup\",\"done\"]]\n"
#define BEGIN(session)                                                         \
    "{\"session\":\"" session "\",\"ops\":[[\"r\",\"setup\",\"done\"]"

static void
the_setup_and_the_end_are_read_from_the_database(void)
{
    struct show s;
    if (!has_sqlite())
        return;
    // Text in the statement and value in the database differ: 011 and '7'.
    interleave("setup { " T
               " insert into T (ID, V) values (01, 011), (2, 5) }\n"
               "session a step x { select V from T where Id = 001 }\n"
               "session b step y { update T set V = '07' where ID = 1 }\n",
               &s);
    CHECK(s.ok && !s.interleaved.refusal[0] && s.interleaved.committed == 2);
    CHECK_TEXT(s.lines,
               ROW("1", "11") MARK BEGIN(
                   "a") ",[\"r\",\"t:1:id\",1],[\"r\",\"t:1:v\",11]]"
                        "\n" BEGIN("b") ",[\"r\",\"t:1:id\",1],[\"w\",\"t:"
                                        "1:v\",7]]\n" BEGIN(
                                            "final") ",[\"r\",\"t:1:id\",1]"
                                                     ",[\"r\",\"t:1:v\",7]]"
                                                     "\n");
}

static void
an_increment_reads(void)
{
    struct show s;
    if (!has_sqlite())
        return;
    interleave("setup { " T " insert into t values (1, 10) }\n"
               "session a step x { update t set v = v + 1 where id = 1 }\n",
               &s);
    CHECK(strstr(s.lines, "[\"r\",\"t:1:id\",1],[\"r\",\"t:1:v\",10],"
                          "[\"w\",\"t:1:v\",11]]\n"));
}

static void
rows_that_are_not_there_are_read_too(void)
{
    struct show s;
    if (!has_sqlite())
        return;
    // By key, by a scan, by an update of nothing; NULL is something else.
    interleave("setup { " T " insert into t values (2, null) }\n"
               "session a step x { select v from t where id in (1, 2) }\n"
               "session b step y { select count(*) from t }\n"
               "session c step z { update t set v = 1 where id = 1 }\n"
               "session d step i { insert into t values (1, 3) }\n"
               "step d { delete from t where id = 1 }\n"
               "permutation x y z i d\n",
               &s);
    CHECK(strstr(s.lines, BEGIN("a") ",[\"r\",\"t:1:id\",\"(no row)\"],"
                                     "[\"r\",\"t:2:id\",2],"
                                     "[\"r\",\"t:2:v\",\"(null)\"]]\n"));
    CHECK(strstr(s.lines, BEGIN("b") ",[\"r\",\"t:1:id\",\"(no row)\"],"
                                     "[\"r\",\"t:2:id\",2]]\n"));
    CHECK(strstr(s.lines, BEGIN("c") ",[\"r\",\"t:1:id\",\"(no row)\"]]\n"));
    CHECK(strstr(s.lines, BEGIN("d") ",[\"r\",\"t:1:id\",\"(no row)\"],"
                                     "[\"w\",\"t:1:id\",1],"
                                     "[\"w\",\"t:1:v\",3]]\n"));
    CHECK(strstr(s.lines, BEGIN("d") ",[\"r\",\"t:1:id\",1],"
                                     "[\"w\",\"t:1:id\",\"(no row)\"],"
                                     "[\"w\",\"t:1:v\",\"(no row)\"]]\n"));
    CHECK(strstr(s.lines, BEGIN("final") ",[\"r\",\"t:1:id\",\"(no row)\"],"
                                         "[\"r\",\"t:2:id\",2],"
                                         "[\"r\",\"t:2:v\",\"(null)\"]]\n"));
}

/* Keys from the database never become part of SQL. */
static void
a_key_is_not_run_as_sql(void)
{
    struct show s;
    if (!has_sqlite())
        return;
    interleave(
        "setup { create table t (k text primary key, v int);\n"
        "  create table u (id int primary key);\n"
        "  insert into t values ('x''); drop table u; --', 1) }\n"
        "session a step x { update t set v = v + 1 }\n"
        "step y { update t set v = 5 where k = 'x''); drop table u; --' }\n"
        "step z { delete from t; insert into u values (1) }\n",
        &s);
    CHECK(s.ok && !s.interleaved.refusal[0] && !s.interleaved.failed);
    CHECK(s.interleaved.committed == 3);
    CHECK(strstr(s.lines, "[\"w\",\"t:x'); drop table u; --:v\",2]"));
    CHECK(strstr(s.lines, "[\"w\",\"t:x'); drop table u; --:v\",5]"));
}

static void
words_of_the_record_are_told_from_text(void)
{
    struct show s;
    if (!has_sqlite())
        return;
    interleave("setup { create table t (id int primary key, v text);\n"
               "  insert into t values (1, '(null)') }\n"
               "session a step x { select v from t }\n",
               &s);
    CHECK(strstr(s.lines, "[\"r\",\"t:1:v\",\"((null)\"]"));
}

static void
the_statements_of_a_step_are_one_transaction(void)
{
    struct show s;
    if (!has_sqlite())
        return;
    interleave(
        "setup { " T " insert into t values (1, 10), (2, 20) }\n"
        "session a step x { update t set v = 11 where id = 1;\n"
        "  update t set v = 21 where id = 2 }\n"
        "step y { begin; update t set v = 12 where id = 1; begin;\n"
        "  update t set v = 22 where id = 2; commit }\n"
        "step z { insert into t values (1, 1); insert into t values (3, 3) }\n",
        &s);
    CHECK(s.ok && !s.interleaved.refusal[0]);
    // SQLite refuses the second 'begin', and the key that is there already.
    CHECK(s.interleaved.committed == 2 && s.interleaved.aborted == 1);
    CHECK(s.interleaved.failed == 2);
    CHECK(strstr(s.lines, "[\"w\",\"t:1:v\",11],[\"r\",\"t:2:id\",2],"
                          "[\"w\",\"t:2:v\",21]]\n"));
    CHECK(strstr(s.lines, "[\"w\",\"t:1:v\",12],[\"r\",\"t:2:id\",2],"
                          "[\"w\",\"t:2:v\",22]]\n"));
    CHECK(!strstr(s.lines, "t:3:"));
}

static void
what_cannot_be_told_is_refused(void)
{
    struct show s;
    if (!has_sqlite())
        return;
    interleave(
        "setup { " T " insert into t values (1, 1) } session a\n"
        "step x { begin } step y { insert into t values (3, 2), (1, 2) }\n"
        "step z { commit }\n",
        &s);
    CHECK(s.ok);
    CHECK_TEXT(s.interleaved.refusal,
               "step 'y': a statement failed in a transaction that continues");
    interleave("setup { " T " } session a step x { begin; select 1; commit }\n",
               &s);
    CHECK_TEXT(s.interleaved.refusal,
               "none of its statements reads or writes a row");
    interleave("setup { " T " insert into t values (null, 1) }\n"
               "session a step x { select v from t }\n",
               &s);
    CHECK(!s.ok);
    CHECK_TEXT(s.err.text, "cannot read the tables back: a row without a key");
}

static void
an_insert_that_finds_its_key_reads_it(void)
{
    struct show s;
    if (!has_sqlite())
        return;
    interleave("setup { " T " insert into t values (1, 1) } session a\n"
               "step x { begin; update t set v = 2 where id = 1 }\n"
               "step y { insert into t values (1, 3) } step z { commit }\n",
               &s);
    CHECK(s.ok && !s.interleaved.refusal[0] && s.interleaved.committed == 1);
    CHECK(strstr(s.lines, "[\"w\",\"t:1:v\",2],[\"r\",\"t:1:id\",1]]\n"));
}

static void
tables_of_others_stay(void)
{
    struct err err = {0};
    struct database db;
    struct connection *c;
    struct show s;
    struct result_rows rows = {0};
    if (!has_sqlite())
        return;
    CHECK(database_open("sqlite:", ISOLATION_UNCHANGED, NULL, &db, &err));
    CHECK(db.driver->connect(&db, 9, 0, &c, &err));
    CHECK(sql_must(c, "create table t (x int)", NULL, &err));
    CHECK(sql_must(c, "insert into t values (7)", NULL, &err));
    play_on(&db,
            "setup { create table if not exists t (id int primary key) }\n"
            "teardown { drop table t } session a step x { select id from t }\n",
            &s);
    CHECK(!s.ok);
    CHECK_TEXT(s.err.text, "the database already has a table 't', "
                           "expected none");
    CHECK(sql_must(c, "select x from t", &rows, &err) && rows.n == 1);
    result_rows_free(&rows);
    db.driver->disconnect(c);
    database_close(&db);
}

/* --- on a database whose answers are bad -----------------------------------*/

/* What its select of the step answers. */
enum bad { BAD_NO_ROW, BAD_NO_COLUMN, BAD_FEWER, BAD_NULL, BAD_BYTES, BAD_KEY };

static enum bad bad_answer;
static bool is_set_up;

static enum outcome
bad_query(struct connection *c, const char *sql, struct result_rows *out)
{
    if (out)
        result_rows_clear(out);
    if (strncmp(sql, "create", 6) == 0)
        is_set_up = true;
    if (strstr(sql, "1 = 0"))
        return outcome_set(c, OUTCOME_FAILED, "1", "no such table");
    if (!out || !is_set_up || strstr(sql, "order by"))
        return OUTCOME_OK;
    out->n = bad_answer != BAD_NO_ROW;
    out->width = bad_answer == BAD_NO_COLUMN ? 0
                 : bad_answer == BAD_FEWER   ? 1
                                             : 2;
    if (!out->n || !out->width)
        return OUTCOME_OK;
    if (bad_answer == BAD_NULL)
        result_rows_add(out, NULL, 0);
    else
        result_rows_add(out, bad_answer == BAD_KEY ? "9" : "1", 1);
    if (bad_answer == BAD_BYTES)
        result_rows_add(out, "\xff", 1);
    else if (out->width == 2)
        result_rows_add(out, "1", 1);
    return OUTCOME_OK;
}

static bool bad_connect(struct database *db, uint32_t session, size_t node,
                        struct connection **out, struct err *err);

static void
bad_disconnect(struct connection *c)
{
    mem_free(c);
}

static const struct dialect bad_dialect = {.name = "sqlite"};
static const struct driver bad_driver = {.scheme = "sqlite",
                                         .sql = &bad_dialect,
                                         .connect = bad_connect,
                                         .disconnect = bad_disconnect,
                                         .query = bad_query};

static bool
bad_connect(struct database *db, uint32_t session, size_t node,
            struct connection **out, struct err *err)
{
    (void)err;
    *out = mem_calloc(1, sizeof **out);
    **out = (struct connection){.driver = &bad_driver,
                                .database = db,
                                .session = session,
                                .node = node};
    return true;
}

static void
bad_answers_are_refused(void)
{
    static const struct {
        enum bad bad;
        const char *refusal;
    } cases[] = {
        {BAD_NO_ROW, ""},
        {BAD_NO_COLUMN, "step 'x': the database answered with 0 columns, but 2 "
                        "were requested"},
        {BAD_FEWER, "step 'x': the database answered with 1 columns, but 2 "
                    "were requested"},
        {BAD_NULL, "step 'x': a row without a key"},
        {BAD_BYTES, "step 'x': a value that is not text in UTF-8"},
        {BAD_KEY,
         "step 'x': a row was returned whose key is none of those that "
         "were requested"},
    };
    static const char *const steps[] = {"select v from t where id = 1",
                                        "update t set v = v + 1 where id = 1"};
    struct database db = {.driver = &bad_driver, .nodes = 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
            struct buf text = {0};
            struct show s;
            buf_printf(&text, "setup { " T " } session a step x { %s }",
                       steps[k]);
            bad_answer = cases[i].bad;
            is_set_up = false;
            play_on(&db, text.at, &s);
            CHECK(s.ok);
            CHECK_TEXT(s.interleaved.refusal, cases[i].refusal);
            buf_free(&text);
        }
}

int
main(void)
{
    RUN(the_setup_and_the_end_are_read_from_the_database);
    RUN(an_increment_reads);
    RUN(rows_that_are_not_there_are_read_too);
    RUN(a_key_is_not_run_as_sql);
    RUN(words_of_the_record_are_told_from_text);
    RUN(the_statements_of_a_step_are_one_transaction);
    RUN(what_cannot_be_told_is_refused);
    RUN(an_insert_that_finds_its_key_reads_it);
    RUN(tables_of_others_stay);
    RUN(bad_answers_are_refused);
    return test_end();
}
