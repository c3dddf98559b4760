/* test_rows_left_out.c -- what is not recorded of rows of PostgreSQL: it is
 * refused, or said to be left out, and nobody is accused because of it.
 *
 * SPDX-License-Identifier: MIT */
#include "rows_test.h"

#include "pipeline/spec_run.h"

#define T TABLE_T("text")

/* Conditions are evaluated again on rows that went through JSON: of JSON's null
 * 'is null' would hold. */
static void
refuse_inexact_values(struct database *db)
{
    static const char *const rows[] = {
        "('null', null, null, null)",
        "(null, default, null, null)",
        "(null, null, '-0', null)",
        "(null, null, null, '[1 , 2]')",
        "('[null]', array[1, null], 'Infinity', '[1, 2]')",
    };
    const size_t n = sizeof rows / sizeof rows[0];
    for (size_t i = 0; i < n; i++) {
        struct buf text = {0};
        struct err part = {0};
        buf_printf(
            &text,
            "setup { create table t (b jsonb, a int[] default array_fill(1, "
            "array[2], array[0]), f float8, j json) }\n"
            "teardown { drop table t }\nsession a\n"
            "step x { insert into t values %s; select * from t where "
            "b is null }\n",
            rows[i]);
        rows_expect_silence(
            db, text.at,
            i + 1 < n ? "a value that JSON does not keep exactly, in table t"
                      : "",
            &part);
        CHECK_TEXT(part.text, "");
        buf_free(&text);
    }
}

/* A setting of the database holds for the sessions, not yet for the setup. */
static void
refuse_other_literals(struct database *db)
{
#define ALTER(what)                                                            \
    "do $$ begin execute format('alter database %I " what                      \
    "', current_database()); end $$"
    static const char text[] = "setup { " T "; " ALTER(
        "set standard_conforming_strings = off") " }\n"
                                                 "teardown { " DROP "; " ALTER(
                                                     "reset "
                                                     "standard_conforming_"
                                                     "strings") " }\n"
                                                                "session "
                                                                "a\nstep x { "
                                                                "select * from "
                                                                "t where s = "
                                                                "'\\101' }\n";
    struct spec spec;
    struct watched watched;
    struct err err = {0};
    CHECK(spec_parse(text, sizeof text - 1, &spec, &err));
    CHECK(!row_setup_read(&spec, db, &watched, &err));
    CHECK(strstr(err.text, "standard_conforming_strings is off") != NULL);
    spec_free(&spec);
}

/* Triggers that record see neither of these. */
static void
refuse_rows_that_vanish(struct database *db)
{
    static const char *const ways[] = {
        "truncate u",
        "set local session_replication_role = replica; delete from u",
        "delete from u",
    };
    const size_t n = sizeof ways / sizeof ways[0];
    for (size_t i = 0; i < n; i++) {
        struct buf text = {0};
        struct err part = {0};
        buf_printf(&text,
                   "setup { " T "; create table u (id int primary key); "
                   "insert into u values (1), (2); create function f() returns "
                   "trigger language plpgsql as $$ begin %s; return null; end "
                   "$$; create trigger a after update on t for each row "
                   "execute function f() }\n"
                   "teardown { " DROP "; drop table u; drop function f() }\n"
                   "session a\nstep x { update t set v = 5 where id = 1 }\n"
                   "session b\nstep y { select * from u }\n"
                   "permutation x y\n",
                   ways[i]);
        rows_expect_silence(db, text.at,
                            i + 1 < n ? "a row is gone that no recorded "
                                        "statement removed, from table u"
                                      : "",
                            &part);
        buf_free(&text);
    }
}

/* Play a specification, which holds, and is recorded but for 'part'; "" is
 * nothing. */
static void
expect_part(struct database *db, struct buf *text, const char *part)
{
    struct err told = {0};
    rows_expect_silence(db, text->at, "", &told);
    CHECK(strstr(told.text, part) != NULL);
    CHECK(*part || !*told.text);
    buf_free(text);
}

/* Since a savepoint conditions say nothing about tables with undone writes. */
static void
tell_what_a_savepoint_leaves_out(struct database *db)
{
    static const struct {
        const char *undone, *part;
    } cases[] = {
        {"select * from t; delete from t", ""},
        {"delete from t where id = 1; select * from t where id = 2",
         "which rows it did not find, since a savepoint"},
        {"insert into t values (1)", "what it read before it failed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf text = {0};
        buf_printf(&text,
                   "setup { " T " }\nteardown { " DROP " }\nsession a\n"
                   "step b { begin; savepoint p }\nstep x { %s }\n"
                   "step c { rollback to p; delete from t; commit }\n",
                   cases[i].undone);
        expect_part(db, &text, cases[i].part);
    }
}

/* A select inside of a statement is run once more, so a limit must return the
 * same row. */
static void
tell_what_a_limit_inside_leaves_out(struct database *db)
{
    static const struct {
        const char *limit, *part;
    } cases[] = {
        {"limit 1", "what other tables and subqueries were read"},
        {"order by v limit 1", "what other tables and subqueries were read"},
        {"order by v, id desc limit 1", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf text = {0};
        buf_printf(&text,
                   "setup { " T " }\nteardown { " DROP " }\nsession a\n"
                   "step x { update t set v = (select v + 1 from t %s) where "
                   "id = 1 }\n",
                   cases[i].limit);
        expect_part(db, &text, cases[i].part);
    }
}

/* Two sessions that run at once and are serializable nevertheless, and what is
 * left out of them. */
static const struct {
    const char *text, *part;
} silent[] = {
    // Nothing is known of the rows behind the last one.
    {"setup { " T " }\nteardown { " DROP " }\nsession a\nstep b1 { " SNAPSHOT
     " }\nstep r1 { select * from t order by id limit 1 }\n"
     "step w1 { insert into t values (3, 30); commit }\nsession b\n"
     "step b2 { " SNAPSHOT " }\nstep r2 { select * from t where v < 40 limit 1 "
     "}\nstep w2 { insert into t values (4, 5); commit }\n"
     "permutation b1 r1 b2 r2 w1 w2\n",
     ""},
    // A transaction that is prepared is not over.
    {"setup { " T " }\nteardown { " DROP " }\nsession a\nstep r1 { " SNAPSHOT
     "; select v from t where id = 2; update t set v = 1 where id = 1 }\n"
     "step p1 { prepare transaction 'assay a' }\n"
     "step c1 { rollback prepared 'assay a' }\nsession b\nstep r2 { " SNAPSHOT
     "; select v from t where id = 1; update t set v = 2 where id = 2 }\n"
     "step p2 { prepare transaction 'assay b' }\n"
     "step c2 { commit prepared 'assay b' }\n"
     "permutation r1 r2 p1 p2 c2 c1\n",
     ""},
    // Each takes what the other one left.
    {"setup { " T " }\nteardown { " DROP " }\nsession a\nstep r1 { begin; "
     "select * from t order by id limit 1 for update skip locked }\n"
     "step w1 { delete from t where id = 1; select * from t for update skip "
     "locked }\nstep c1 { commit }\nsession b\nstep r2 { begin; select * from "
     "t order by id limit 1 for update skip locked }\n"
     "step w2 { delete from t where id = 2; select * from t for update skip "
     "locked }\nstep c2 { commit }\npermutation r1 r2 w1 w2 c1 c2\n",
     "whether a row that it skipped still matched"},
    // The row that it waited for is no longer the first.
    {"setup { " T " }\nteardown { " DROP " }\nsession a\nstep w1 { begin; "
     "update t set v = 100 where id = 1 }\nstep c1 { commit }\nsession b\n"
     "step r2 { begin; select * from t order by v limit 1 for update }\n"
     "step c2 { update t set v = 0 where id = (select min(id) from t); commit "
     "}\npermutation w1 r2 c1 c2\n",
     ""},
    // A row keeps another one out and is deleted then, or before.
    {"setup { " T " }\nteardown { " DROP " }\nsession a\nstep w1 { begin; "
     "with d as (delete from t) insert into t values (1) on conflict do "
     "nothing; commit "
     "}\npermutation w1\n",
     "what other tables and subqueries were read"},
    {"setup { " T " }\nteardown { " DROP " }\nsession a\nstep w1 { begin; "
     "with d as (delete from t returning id) insert into t select id from d on "
     "conflict "
     "do nothing; commit }\npermutation w1\n",
     "what other tables and subqueries were read"},
};

static void
accuse_nobody(struct database *db)
{
    for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++) {
        struct err part = {0};
        rows_expect_silence(db, silent[i].text, "", &part);
        CHECK(strstr(part.text, silent[i].part) != NULL);
        CHECK(*silent[i].part || !*part.text);
    }
}

static void
count_left_out(void *self, const struct err *what)
{
    CHECK(strstr(what->text, "not recorded, so not checked") != NULL);
    ++*(size_t *)self;
}

static void
ignore_result(void *self, const struct spec_run_result *result)
{
    (void)self;
    CHECK(result->end == SPEC_RUN_RECORDED);
}

/* Two statements of one interleaving. */
static void
tell_all_that_is_left_out(const char *url)
{
    static const char text[] =
        "setup { " T " }\nteardown { " DROP " }\nsession a\n"
        "step x { select * from t offset 1; select a.v from t a, t b where a.v "
        "< 9 }\n";
    char path[] = "/tmp/assay-rows-XXXXXX";
    size_t left_out = 0;
    struct err err = {0};
    struct history_file recording = {0};
    struct spec_run_tally tally = {0};
    const struct spec_run_options o = {.spec = path,
                                       .target = url,
                                       .isolation = ISOLATION_UNCHANGED,
                                       .recording = &recording,
                                       .self = &left_out,
                                       .left_out = count_left_out,
                                       .visit = ignore_result};
    const int fd = mkstemp(path);
    CHECK(fd >= 0 &&
          write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    close(fd);
    CHECK(history_file_open(&recording, NULL, &err));
    CHECK(spec_run(&o, &tally, &err));
    CHECK_TEXT(err.text, "");
    CHECK(tally.recorded == 1 && left_out == 2);
    history_file_close(&recording);
    unlink(path);
}

static void
play_all(struct database *db, const char *url)
{
    refuse_inexact_values(db);
    refuse_other_literals(db);
    refuse_rows_that_vanish(db);
    tell_what_a_savepoint_leaves_out(db);
    tell_what_a_limit_inside_leaves_out(db);
    accuse_nobody(db);
    tell_all_that_is_left_out(url);
}

static void
what_is_left_out_is_told(void)
{
    rows_on_server("postgresql", play_all);
}

int
main(void)
{
    RUN(what_is_left_out_is_told);
    return test_end();
}
