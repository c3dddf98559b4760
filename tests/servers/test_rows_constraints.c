/* test_rows_constraints.c -- what keys, unique indexes and foreign keys of
 * PostgreSQL read beside their statements.
 *
 * SPDX-License-Identifier: MIT */
#include "rows_test.h"

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
        rows_expect_silence(db, texts[i], "", &part);
        CHECK((strstr(part.text, "which row was in the way") != NULL) ==
              (i != 1));
    }
}

/* Two sessions; in the first interleaving they run one after the other, in the
 * second they are not serializable. */
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
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        rows_expect(db, "constraint", checks[i], true, 0);
}

/* Constraints whose triggers are disabled are not checked. */
static void
accuse_no_disabled_ones(struct database *db)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"setup { create table p (id int primary key); create table t (id int "
         "primary key, p int references p); insert into p values (1); alter "
         "table "
         "t disable trigger all }\nteardown { drop table t; drop table p }\n"
         "session a\nstep x { delete from p }\nsession b\n"
         "step y { insert into t values (7, 1) }\npermutation x y\n",
         "what foreign keys read"},
        {"setup { create table t (id int primary key, v int unique deferrable "
         "initially deferred); alter table t disable trigger all }\n"
         "teardown { drop table t }\nsession a\n"
         "step x { insert into t values (7, 1), (8, 1) }\n",
         "unique indexes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err part = {0};
        rows_expect_silence(db, cases[i].text, "", &part);
        CHECK(strstr(part.text, cases[i].part) != NULL);
    }
}

static void
play_all(struct database *db, const char *url)
{
    (void)url;
    name_no_rows_by_such_keys(db);
    record_what_constraints_read(db);
    accuse_no_disabled_ones(db);
}

static void
what_constraints_read_is_recorded(void)
{
    rows_on_server("postgresql", play_all);
}

int
main(void)
{
    RUN(what_constraints_read_is_recorded);
    return test_end();
}
