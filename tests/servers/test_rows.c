/* test_rows.c -- rows of real SQL on PostgreSQL: each form of a statement, in a
 * serial interleaving that holds and in another one that does not.
 *
 * SPDX-License-Identifier: MIT */
#include "server_test.h"

#include "pipeline/spec_run.h"
#include "spec/interleave.h"
#include "spec/row/row_setup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two sessions, each with a read and a write, a setup, and whether the
 * interleaving of reads before writes breaks it. */
struct form {
    const char *name;
    const char *setup, *teardown;
    const char *read1, *write1, *read2, *write2;
};

#define T                                                                      \
    "create table t (id int primary key, v int, s text); "                     \
    "insert into t values (1, 10, 'a'), (2, 20, 'b')"
#define DROP "drop table t"

static const struct form forms[] = {
    {"insert", T, DROP, "select * from t where v > 15",
     "insert into t values (3, 30)", "select count(*) from t where v > 15",
     "insert into t (id, v) values (4, 40) returning *"},
    {"update by expression", T, DROP, "select v from t where id = 2",
     "update t set v = v + 1 where v < 15", "select v from t where id = 1",
     "update t set v = v * 2 where v between 16 and 99"},
    {"delete", T, DROP, "select sum(v) from t", "delete from t where s = 'a'",
     "select max(v) from t as x", "delete from t x where x.s = 'b'"},
    {"update of the key", T, DROP, "select * from t where id >= 10",
     "update t set id = id + 10 where id = 1", "select * from t where id >= 10",
     "update t set id = id + 20 where id = 2"},
    {"upsert", T, DROP, "select s from t where id in (3, 4)",
     "insert into t values (3, 1, 'x') on conflict (id) do update set v = 1",
     "select s from t where id in (3, 4)",
     "insert into t values (4, 1, 'y') on conflict do nothing"},
    {"insert ... select", T, DROP, "select * from t where v > 25",
     "insert into t select g, g from generate_series(30, 31) g",
     "select * from t where v > 25",
     "insert into t select g, g from generate_series(40, 41) g"},
    {"merge", T, DROP, "select v from t where id = 2",
     "merge into t using (select 1 as k) x on x.k = t.id when matched then "
     "update set v = t.v + 1 when not matched then insert values (x.k, 0)",
     "select v from t where id = 1",
     "merge into t using (select 2 as k) x on x.k = t.id when matched and "
     "t.v > 1 then delete"},
    {"exists and limit", T, DROP,
     "select exists (select 1 from t x where x.v = 31) as limit",
     "insert into t values (3, 30)",
     "select t.* from t where t.v = 30 order by t.id limit 1 for update",
     "insert into t values (4, 31)"},
    {"composite key",
     "create table t (a text, b timestamptz, v numeric, primary key (a, b)); "
     "insert into t values ('it''s', '2026-01-01 00:00+00', 1.50), "
     "('x', '2026-01-01 00:00+00', 2)",
     DROP, "select v from t where a = 'x'",
     "update t set v = v + 0.25 where a = 'it''s'",
     "select v from t where a like 'it%'",
     "update t set v = null where a = 'x' and b < '2027-01-01'"},
    {"quoted names",
     "create schema \"My\"; create table \"My\".\"T t\" (\"Id\" int primary "
     "key, \"V\"\"v\" int); insert into \"My\".\"T t\" values (1, 1), (2, 2)",
     "drop schema \"My\" cascade",
     "select * from \"My\".\"T t\" where \"V\"\"v\" = 2",
     "update \"My\".\"T t\" set \"V\"\"v\" = 3 where \"Id\" = 1",
     "select \"Id\" from \"My\".\"T t\" X where X.\"V\"\"v\" = 1",
     "delete from \"My\".\"T t\" where \"Id\" = 2"},
    {"no primary key",
     "create table t (v int); insert into t values (1), (1), (2)", DROP,
     "select * from t where v = 2", "update t set v = 5 where v = 1",
     "select * from t where v = 1", "delete from t where v = 2"},
    {"partitions",
     "create table t (id int primary key, v int) partition by list (id); "
     "create table t1 partition of t for values in (1, 3); create table t2 "
     "partition of t for values in (2, 4); insert into t values (1, 1), (2, 2)",
     DROP, "select * from t where id = 2", "update t set id = 4 where id = 1",
     "select * from t where id = 1", "update t set v = 0 where id = 2"},
    {"NULL and types",
     "create table t (id int primary key, b bool, a int[], j jsonb, f float8); "
     "insert into t values (1, true, array[1, 2], '[1]', 0.1), "
     "(2, null, null, null, 'NaN')",
     DROP, "select * from t where b is null",
     "update t set f = 0.3 where a @> array[1]",
     "select * from t where f = 0.1 and j ->> 0 = '1'",
     "update t set b = false where f = 'NaN'"},
    {"cascade",
     "create table p (id int primary key); create table t (id int primary key, "
     "p int references p on delete cascade on update cascade); "
     "insert into p values (1), (2); insert into t values (7, 1), (8, 2)",
     "drop table t; drop table p", "select * from t where id = 8",
     "delete from p where id = 1", "select * from t where id = 7",
     "update p set id = 3 where id = 2"},
    {"savepoint", T, DROP, "select v from t where id = 2",
     "savepoint x; delete from t; rollback to x; update t set v = 1 where "
     "id = 1",
     "select v from t where id = 1",
     "savepoint x; update t set v = 2 where id = 2; release x"},
    {"the first in an order", T, DROP,
     "select * from t where v > 15 order by v desc, id limit 1",
     "insert into t values (3, 30)",
     "select t.* from t where t.v > 15 order by s nulls first limit 1 for "
     "update",
     "insert into t values (4, 40, null)"},
    {"rows that are locked", T, DROP,
     "select * from t where v > 5 for update skip locked",
     "insert into t values (3, 30)",
     "select * from t where v > 5 order by id limit 2 for share skip locked",
     "insert into t values (4, 40)"},
    {"subqueries in conditions", T, DROP,
     "select s from t where v = (select max(v) from t)",
     "update t set v = 0 where id in (select id from t where v < 15)",
     "select s from t where not exists (select from t where v < 10)",
     "delete from t where v = (select x.v from t x order by x.v desc limit "
     "1)"},
    {"subqueries in values", T, DROP,
     "select (select count(*) from t where v > 25), (select 1)",
     "insert into t values (3, (select max(v) + 10 from t))",
     "select id, (select 1) from t where id = 3",
     "update t set v = (select v + 10 from t as x where x.id = 2) where "
     "id = 2"},
    {"insert of what a select finds", T, DROP, "select * from t where v > 25",
     "insert into t select id + 2, 30 from t where v < 15",
     "select * from t where v > 25",
     "insert into t (id, v) select max(id) + 5, 40 from t on conflict do "
     "nothing"},
    // Triggers that tell of rows and read none; this one keeps what is deleted.
    {"triggers that keep rows",
     T "; create function f() returns trigger language plpgsql as $$ begin if "
       "tg_op = 'UPDATE' then raise notice 'from %', old; end if; return new; "
       "end $$; create trigger a before update or delete on t for each row "
       "execute function f()",
     DROP "; drop function f()", "select v from t where id = 2",
     "update t set v = v + 1 where v < 15; delete from t where v = 11",
     "select v from t where id = 1",
     "delete from t where v > 15; update t set v = 0 where id = 2"},
    {"triggers of partitions",
     "create table t (id int primary key, v int) partition by list (id); "
     "create table t1 partition of t for values in (1, 3); create table t2 "
     "partition of t for values in (2, 4); insert into t values (1, 1), (2, "
     "2); create function f() returns trigger language plpgsql as $$ begin if "
     "tg_op = 'UPDATE' then new.v = new.v * 1; -- isn't it\n return new; end "
     "if; return old; end $$; create "
     "trigger a before update or delete on t for each row execute function "
     "f()",
     DROP "; drop function f()", "select * from t where id = 2",
     "update t set id = 4 where id = 1", "select * from t where id = 1",
     "update t set v = 0 where id = 2; delete from t where v = 0"},
    {"prepared statements", T, DROP,
     "prepare p1 as select * from t where v > 15 order by id limit 3; execute "
     "p1",
     "prepare q1 as insert into t select max(id) + 2, 30 from t where v < 15; "
     "execute q1",
     "prepare p2 as select * from t where v > 25; execute p2",
     "prepare q2 as update t set v = 40 where id = (select min(id) from t); "
     "execute q2"},
    {"all rows of two tables",
     T "; create table u (x int); insert into u values (1)",
     DROP "; drop table u", "select * from t, u a",
     "insert into t values (3, 30)",
     "select count(*) from pg_class; select x from u, t",
     "insert into u values (4)"},
    {"keys that were free", T, DROP,
     "savepoint x; insert into t values (3, 1); rollback to x",
     "insert into t values (4, 0)", "select * from t where id = 4",
     "insert into t values (3, 0)"},
};

// Something is said to be left out of these.
static const struct form forms_in_part[] = {
    {"reads that a savepoint does not undo", T, DROP,
     "savepoint x; update t set s = 'x' where v = 20; rollback to x",
     "update t set v = 1 where id = 1",
     "savepoint x; insert into t values (3, 1); select * from t where id = 3; "
     "delete from t where id = 3; rollback to x; select v from t where id = 1",
     "update t set v = 2 where id = 2"},
    {"writable CTE", T, DROP, "select v from t where id = 2",
     "with x as (update t set v = 0 where id = 1 returning *) select * from x",
     "select v from t where id = 1",
     "with x as (delete from t where id = 2 returning *) select count(*) "
     "from x"},
    {"join", T, DROP,
     "select a.v, b.v from t a join t b on a.id < b.id where b.id = 2",
     "update t set v = 0 where id = 1",
     "select a.v, b.v from t a left join t b on a.id = b.id + 1",
     "update t set v = 0 where id = 2"},
};

static void
write_spec(const struct form *f, struct buf *out)
{
    buf_printf(out,
               "setup { %s }\nteardown { %s }\n"
               "session a\nsetup { begin isolation level repeatable read; }\n"
               "step r1 { %s }\nstep w1 { %s }\nstep c1 { commit }\n"
               "session b\nsetup { begin isolation level repeatable read; }\n"
               "step r2 { %s }\nstep w2 { %s }\nstep c2 { commit }\n"
               "session c\nstep s1 { begin isolation level serializable; %s }\n"
               "step s2 { %s }\nstep s3 { commit; begin; %s }\n"
               "step s4 { %s }\nstep s5 { commit }\n"
               "permutation s1 s2 s3 s4 s5\n"
               "permutation r1 r2 w1 w2 c1 c2\n",
               f->setup, f->teardown, f->read1, f->write1, f->read2, f->write2,
               f->read1, f->write1, f->read2, f->write2);
}

static void
play(struct database *db, const struct form *f, bool is_whole)
{
    const struct interleave_options o = {.patience = 0.3, .limit = 20};
    char path[] = "/tmp/assay-rows-XXXXXX";
    struct err err = {0};
    struct spec spec;
    struct watched watched;
    struct script script;
    u32_vec order = {0};
    struct buf text = {0};
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    write_spec(f, &text);
    CHECK(spec_parse(text.at, text.n, &spec, &err));
    CHECK(row_setup_read(&spec, db, &watched, &err));
    CHECK_TEXT(err.text, "");
    script_read(&spec, flavour_of("postgresql"), &watched, &script);
    for (size_t i = 0; i < 2; i++) {
        struct interleaved done = {0};
        struct trial_result r = {0};
        CHECK(spec_next(&spec, i, &order));
        const uint32_t refusal = script_refuses(&script, &order);
        CHECK(refusal == SCRIPT_UNDERSTOOD);
        if (refusal != SCRIPT_UNDERSTOOD) {
            printf("# %s: %s\n", f->name, script.refusals.at[refusal].text);
            break;
        }
        CHECK(interleave_run(&script, db, &order, &o, path, &done, &err));
        CHECK_TEXT(err.text, "");
        CHECK_TEXT(done.refusal, "");
        CHECK(done.is_possible && !done.failed && done.committed == 2);
        const bool is_part = script_takes_part(&script, &order, &err);
        CHECK(!is_part || !is_whole);
        if (is_part)
            printf("# %s: %s\n", f->name, err.text);
        err = (struct err){0};
        CHECK(
            trial_check(path, LEVEL_BIT(LEVEL_SER) | LEVEL_BIT(LEVEL_SI), &r));
        printf("# %s: %s\n", f->name, r.text);
        CHECK(r.verdict[LEVEL_SI] == VERDICT_OK);
        CHECK(r.verdict[LEVEL_SER] == (i ? VERDICT_VIOLATED : VERDICT_OK));
    }
    unlink(path);
    vec_free(&order);
    buf_free(&text);
    script_free(&script);
    watched_free(&watched);
    spec_free(&spec);
}

/* Run the first interleaving of a text: why there is no history of it, and the
 * first thing that is not recorded of it.  If there is one, it is
 * serializable. */
static void
run_once(struct database *db, const char *text, char *refusal, struct err *part)
{
    const struct interleave_options o = {.patience = 0.3, .limit = 20};
    char path[] = "/tmp/assay-rows-XXXXXX";
    struct err err = {0};
    struct spec spec;
    struct watched watched;
    struct script script;
    struct interleaved done = {0};
    u32_vec order = {0};
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
    CHECK(spec_parse(text, strlen(text), &spec, &err));
    CHECK(row_setup_read(&spec, db, &watched, &err));
    script_read(&spec, flavour_of("postgresql"), &watched, &script);
    CHECK(spec_next(&spec, 0, &order));
    CHECK(script_refuses(&script, &order) == SCRIPT_UNDERSTOOD);
    CHECK(interleave_run(&script, db, &order, &o, path, &done, &err));
    CHECK_TEXT(err.text, "");
    CHECK(done.is_possible);
    script_takes_part(&script, &order, part);
    memcpy(refusal, done.refusal, sizeof done.refusal);
    struct trial_result r = {0};
    if (!refusal[0]) {
        CHECK(trial_check(path, LEVEL_BIT(LEVEL_SER), &r));
        CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    }
    unlink(path);
    vec_free(&order);
    script_free(&script);
    watched_free(&watched);
    spec_free(&spec);
}

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
        char refusal[sizeof((struct interleaved *)NULL)->refusal];
        buf_printf(
            &text,
            "setup { create table t (b jsonb, a int[] default array_fill(1, "
            "array[2], array[0]), f float8, j json) }\n"
            "teardown { drop table t }\nsession a\n"
            "step x { insert into t values %s; select * from t where "
            "b is null }\n",
            rows[i]);
        run_once(db, text.at, refusal, &part);
        CHECK_TEXT(refusal,
                   i + 1 < n
                       ? "a value that JSON does not keep exactly, in table t"
                       : "");
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
        char refusal[sizeof((struct interleaved *)NULL)->refusal];
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
        run_once(db, text.at, refusal, &part);
        CHECK_TEXT(refusal, i + 1 < n ? "a row is gone that no recorded "
                                        "statement removed, from table u"
                                      : "");
        buf_free(&text);
    }
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
        struct err part = {0};
        struct buf text = {0};
        char refusal[sizeof((struct interleaved *)NULL)->refusal];
        buf_printf(&text,
                   "setup { " T " }\nteardown { " DROP " }\nsession a\n"
                   "step b { begin; savepoint p }\nstep x { %s }\n"
                   "step c { rollback to p; delete from t; commit }\n",
                   cases[i].undone);
        run_once(db, text.at, refusal, &part);
        CHECK_TEXT(refusal, "");
        CHECK(strstr(part.text, cases[i].part) != NULL);
        CHECK(*cases[i].part || !*part.text);
        buf_free(&text);
    }
}

/* Keys that are equal although they look different, that are checked later, or
 * that have no value before the insert do not name rows. */
static void
name_no_rows_by_such_keys(struct database *db)
{
    static const char *const texts[] = {
        "setup { create table t (id numeric primary key); insert into t values "
        "(1.0) }\nteardown { drop table t }\nsession a\n"
        "step x { insert into t values (1.00) on conflict do nothing }\n",
        "setup { create table t (id int primary key deferrable initially "
        "deferred, v int); insert into t values (1, 10) }\n"
        "teardown { drop table t }\nsession a\nstep x { begin; insert into t "
        "values (1, 11); delete from t where v = 10; commit }\n",
        "setup { create table t (a int, id int generated always as (a * 2) "
        "stored primary key); insert into t values (1) }\n"
        "teardown { drop table t }\nsession a\n"
        "step x { insert into t values (1) on conflict do nothing; delete from "
        "t }\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct err part = {0};
        char refusal[sizeof((struct interleaved *)NULL)->refusal];
        run_once(db, texts[i], refusal, &part);
        CHECK_TEXT(refusal, "");
        CHECK((strstr(part.text, "which row was in the way") != NULL) ==
              (i != 1));
    }
}

/* Two sessions; in the first interleaving they run one after the other, in the
 * second they are not serializable. */
#define SERIAL "begin isolation level serializable"
#define SNAPSHOT "begin isolation level repeatable read"
static const char *const checks[] = {
    // A child that was seen does not keep its parent.
    "setup { create table p (id int primary key); create table t (id int "
    "primary key, p int references p); insert into p values (1); insert into t "
    "values (7, 1) }\nteardown { drop table t; drop table p }\n"
    "session a\nstep b1 { " SERIAL " }\n"
    "step r1 { select * from t }\nstep w1 { delete from p where id = 1 }\n"
    "step c1 { commit }\nsession b\nstep w2 { " SERIAL
    "; delete from t; commit }\n"
    "permutation w2 b1 r1 w1 c1\npermutation b1 r1 w2 w1 c1\n",
    // The same by a cascade, and a parent without a key.
    "setup { create table p (u text unique); create table t (v text references "
    "p (u) on update cascade); insert into p values ('a'); insert into t "
    "values ('a') }\nteardown { drop table t; drop table p }\n"
    "session a\nstep b1 { " SERIAL " }\n"
    "step r1 { select * from t }\nstep w1 { update p set u = 'b' }\n"
    "step c1 { commit }\nsession b\nstep w2 { " SERIAL
    "; delete from t; commit }\n"
    "permutation w2 b1 r1 w1 c1\npermutation b1 r1 w2 w1 c1\n",
    // A child is added to a parent that was not seen.
    "setup { create table p (id int primary key) partition by list (id); "
    "create table p1 partition of p default; create table t (id int primary "
    "key, p int references p) }\nteardown { drop table t; drop table p }\n"
    "session a\nstep b1 { " SERIAL " }\n"
    "step r1 { select * from p }\nstep w1 { insert into t values (7, 1) }\n"
    "step c1 { commit }\nsession b\nstep w2 { " SERIAL
    "; insert into p values (1); commit }\n"
    "permutation w2 b1 r1 w1 c1\npermutation b1 r1 w2 w1 c1\n",
    // The same at the end of the transaction.
    "setup { create table p (id int, u int, unique (u, id)) partition by list "
    "(id); create table p1 partition of p default; create table t (a int, b "
    "int, foreign key (b, a) references p (id, u) initially deferred) }\n"
    "teardown { drop table t; drop table p }\n"
    "session a\nstep b1 { " SERIAL " }\n"
    "step r1 { select * from p }\nstep w1 { insert into t values (2, 1) }\n"
    "step c1 { commit }\nsession b\nstep w2 { " SERIAL
    "; insert into p values (1, 2); commit }\n"
    "permutation w2 b1 r1 w1 c1\npermutation b1 r1 w1 w2 c1\n",
    // Prepared transactions commit.
    "setup { " T " }\nteardown { " DROP " }\nsession a\nstep r1 { " SNAPSHOT
    "; select v from t where id = 2; update t set v = 1 where id = 1 }\n"
    "step p1 { prepare transaction 'assay a' }\n"
    "step c1 { commit prepared 'assay a' }\nsession b\nstep r2 { " SNAPSHOT
    "; select v from t where id = 1; update t set v = 2 where id = 2 }\n"
    "step p2 { prepare transaction 'assay b' }\n"
    "step c2 { commit prepared 'assay b' }\n"
    "permutation r1 p1 c1 r2 p2 c2\npermutation r1 r2 p1 p2 c2 c1\n",
    // A value is unique although another row was seen with it.  SERIALIZABLE
    // does not allow it.  No name of a column is one that we use ourselves.
    "setup { create table t (id int primary key, e text, v int); create unique "
    "index on t (lower(e)) where v > 0; insert into t values (1, 'A', 1) }\n"
    "teardown { drop table t }\n"
    "session a\nstep b1 { " SNAPSHOT " }\n"
    "step r1 { select * from t }\nstep w1 { insert into t values (2, 'a', 2) "
    "}\nstep c1 { commit }\nsession b\nstep w2 { " SNAPSHOT
    "; update t set v = 0; commit }\n"
    "permutation w2 b1 r1 w1 c1\npermutation b1 r1 w2 w1 c1\n",
};

static void
record_what_constraints_read(struct database *db)
{
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        const struct interleave_options o = {.patience = 0.3, .limit = 20};
        char path[] = "/tmp/assay-rows-XXXXXX";
        struct err err = {0}, part = {0};
        struct spec spec;
        struct watched watched;
        struct script script;
        u32_vec order = {0};
        const int fd = mkstemp(path);
        CHECK(fd >= 0 && close(fd) == 0);
        CHECK(spec_parse(checks[i], strlen(checks[i]), &spec, &err));
        CHECK(row_setup_read(&spec, db, &watched, &err));
        script_read(&spec, flavour_of("postgresql"), &watched, &script);
        for (size_t k = 0; k < 2; k++) {
            struct interleaved done = {0};
            struct trial_result r = {0};
            CHECK(spec_next(&spec, k, &order));
            CHECK(interleave_run(&script, db, &order, &o, path, &done, &err));
            CHECK_TEXT(err.text, "");
            CHECK_TEXT(done.refusal, "");
            CHECK(done.is_possible && !done.failed && done.committed == 2);
            CHECK(!script_takes_part(&script, &order, &part));
            CHECK(trial_check(path, LEVEL_BIT(LEVEL_SER), &r));
            CHECK(r.verdict[LEVEL_SER] == (k ? VERDICT_VIOLATED : VERDICT_OK));
        }
        unlink(path);
        vec_free(&order);
        script_free(&script);
        watched_free(&watched);
        spec_free(&spec);
    }
}

/* Two sessions that run at once and are serializable nevertheless, and what is
 * left out of them. */
static const struct {
    const char *text, *part;
} silent[] = {
    // Constraints whose triggers are disabled are not checked.
    {"setup { create table p (id int primary key); create table t (id int "
     "primary key, p int references p); insert into p values (1); alter table "
     "t disable trigger all }\nteardown { drop table t; drop table p }\n"
     "session a\nstep x { delete from p }\nsession b\n"
     "step y { insert into t values (7, 1) }\npermutation x y\n",
     "what foreign keys read"},
    {"setup { create table t (id int primary key, v int unique deferrable "
     "initially deferred); alter table t disable trigger all }\n"
     "teardown { drop table t }\nsession a\n"
     "step x { insert into t values (7, 1), (8, 1) }\n",
     "unique indexes"},
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
        char refusal[sizeof((struct interleaved *)NULL)->refusal];
        struct err part = {0};
        run_once(db, silent[i].text, refusal, &part);
        CHECK_TEXT(refusal, "");
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
every_form_of_a_statement_is_recorded(void)
{
    struct servers servers;
    struct database db;
    struct err err = {0};
    if (!start_server("postgresql", &servers))
        return;
    CHECK(database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err));
    if (row_setup_records(&db)) {
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
            play(&db, &forms[i], true);
        for (size_t i = 0; i < sizeof forms_in_part / sizeof forms_in_part[0];
             i++)
            play(&db, &forms_in_part[i], false);
        refuse_inexact_values(&db);
        refuse_other_literals(&db);
        refuse_rows_that_vanish(&db);
        name_no_rows_by_such_keys(&db);
        tell_what_a_savepoint_leaves_out(&db);
        record_what_constraints_read(&db);
        accuse_nobody(&db);
        tell_all_that_is_left_out(servers.url);
    }
    database_close(&db);
    servers_stop(&servers);
}

int
main(void)
{
    RUN(every_form_of_a_statement_is_recorded);
    return test_end();
}
