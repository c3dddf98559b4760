/* test_rows_mariadb.c -- rows of real SQL on MariaDB: each form of a statement,
 * in a serial interleaving that holds and in another one that does not, and
 * what InnoDB's current reads break.
 *
 * SPDX-License-Identifier: MIT */
#include "rows_test.h"

/* A setup, a statement that writes, and one that sees what it wrote. */
struct form {
    const char *name, *setup, *write, *read;
};

#define T TABLE_T("varchar(20)")

static const struct form forms[] = {
    {"insert", T, "insert into t values (3, 30, null)",
     "select v from t where v > 25"},
    {"insert ... select", T,
     "insert into t select id + 2, v, s from t where v > 15",
     "select count(*) from t where id > 2"},
    {"insert returning", T, "insert into t (v, id) values (30, 3) returning *",
     "select * from t"},
    {"update by expression", T, "update t set v = v + 1 where v < 15",
     "select * from t as X where X.v between 11 and 12"},
    {"update of NULL", T, "update t set s = null where s = 'A'",
     "select id from t where s is null"},
    {"update of the key", T, "update t set id = id + 10 where id = 1",
     "select v from t where id = 11"},
    {"delete", T, "delete from t where s = 'a' returning v",
     "select id from t where v < 15"},
    {"upsert that updates", T,
     "insert into t values (1, 1, 'x') on duplicate key update v = values(v)",
     "select v from t where id in (1, 3)"},
    {"upsert that inserts", T,
     "insert into t values (3, 1, 'x') on duplicate key update v = v + 1",
     "select v from t where id in (1, 3)"},
    {"insert ignore", T, "insert ignore into t values (1, 1, 'x'), (4, 1, 'y')",
     "select v from t where id = 4"},
    {"join", T, "update t set v = 0 where id = 1",
     "select a.v, b.v from t a left join t b on b.id = a.id + 1"},
    {"limit", T, "update t set v = 0 where id = 1",
     "select v from t order by t.id limit 1"},
    {"composite key",
     "create table t (a int, b date, v decimal(9, 2), primary key (b, a)); "
     "insert into t values (1, '2026-01-01', 1.50), (2, '2026-01-01', 2)",
     "update t set v = v + 0.25 where a = 1",
     "select v from t where v = 1.75 and b < '2027-01-01'"},
    {"quoted names",
     "create table `T t` (`Id` int primary key, `V``v` int); "
     "insert into `T t` values (1, 1)",
     "update `T t` set `v``V` = 3 where ID = 1",
     "select `Id` from `T t` X where X.`V``v` = 3"},
    {"no primary key",
     "create table t (v int); insert into t values (1), (1), (2)",
     "update t set v = 5 where v = 1", "select * from t where v = 5"},
    {"a key without case",
     "create table t (k varchar(9) primary key, v int); insert into t values "
     "('a', 1), ('b', 2)",
     "update t set v = 5 where k = 'A'", "select * from t where v = 5"},
    {"generated key",
     "create table t (id int auto_increment primary key, v int); insert into t "
     "(v) values (7)",
     "insert into t (v) values (8) on duplicate key update v = 9",
     "select * from t where v >= 8"},
    {"types",
     "create table t (id int primary key, d double, e enum('x', 'y'), g int as "
     "(id * 2), j json, "
     "ts timestamp not null default '2020-01-01' on update "
     "current_timestamp); insert into t (id, d, e, j) values "
     "(1, 0.1, 'x', '[1]'), (2, 1e300, null, null)",
     "update t set d = d * 3 where e = 'x'",
     "select * from t where d > 0.3 and d < 0.31 and g = 2"},
    {"savepoint", T,
     "savepoint p; delete from t; rollback to p; update t set v = 1 where "
     "id = 1",
     "select v from t where id = 1"},
    {"an update that changes nothing", T,
     "update t set v = 20 where id = 2; update t set v = 21 where id = 2",
     "select v from t where id = 2"},
};

#define SPEC                                                                   \
    "setup { %s }\nteardown { drop table `%s` }\nsession a\n"                  \
    "setup { begin isolation level %s }\nstep w { %s }\nstep c1 { commit }\n"  \
    "session b\nsetup { begin isolation level %s }\nstep r { %s }\n"           \
    "step c2 { commit }\npermutation %s\n"

/* Play the one interleaving of a text; why there is no history of it. */
static void
play(struct database *db, const char *text, struct trial_result *r,
     struct interleaved *done)
{
    const level_set levels =
        LEVEL_BIT(LEVEL_SER) | LEVEL_BIT(LEVEL_SI) | LEVEL_BIT(LEVEL_RC);
    struct rows_play p;
    *r = (struct trial_result){0};
    rows_open(&p, db, text);
    rows_run(&p, 0, done);
    if (!done->refusal[0])
        CHECK(trial_check(p.path, levels, r));
    rows_close(&p);
}

static void
play_form(struct database *db, const struct form *f)
{
    const char *table = strstr(f->setup, "`T t`") ? "T t" : "t";
    for (size_t i = 0; i < 2; i++) {
        const char *level = i ? "read committed" : "serializable";
        struct buf text = {0};
        struct trial_result r;
        struct interleaved done;
        buf_printf(&text, SPEC, f->setup, table, level, f->write, level,
                   f->read, i ? "r w c1 r c2" : "w c1 r c2");
        play(db, text.at, &r, &done);
        printf("# %s: %s%s\n", f->name, done.refusal, r.text);
        CHECK_TEXT(done.refusal, "");
        CHECK(!done.failed && done.committed == 2);
        CHECK(r.verdict[LEVEL_SER] == (i ? VERDICT_VIOLATED : VERDICT_OK));
        buf_free(&text);
    }
}

/* What InnoDB does at REPEATABLE READ without innodb_snapshot_isolation. */
static void
break_snapshots(struct database *db)
{
    static const struct {
        const char *first, *write, *second;
        enum anomaly_kind told;
    } cases[] = {
        // An update sees the latest version, and the select after it half of
        // what the other transaction wrote.
        {"select * from t",
         "update t set v = 110 where id = 1; update t set v = 220 where id = 2",
         "update t set v = v + 1 where id = 1; select * from t",
         ANOMALY_FRACTURED},
        // A row that the snapshot lacks appears when it is updated.
        {"select * from t", "insert into t values (3, 30, '')",
         "update t set v = v + 1 where id = 3; select * from t",
         ANOMALY_PHANTOM_READ},
        // A write of what is there already is not seen by its own
        // transaction.
        {"select * from t", "update t set v = 11 where id = 1",
         "update t set v = 11 where id = 1; select * from t", ANOMALY_NOT_OWN},
        // The lock shows another version than the snapshot.
        {"select * from t", "update t set v = 11 where id = 1",
         "select * from t where id = 1 for update", ANOMALY_NON_REPEATABLE},
        {"select * from t", "update t set v = 11 where id = 1",
         "select v from t where v > 10 lock in share mode",
         ANOMALY_NON_REPEATABLE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf text = {0};
        struct trial_result r;
        struct interleaved done;
        buf_printf(&text,
                   "setup { " T " }\nteardown { drop table t }\nsession a\n"
                   "step r { begin isolation level repeatable read; %s }\n"
                   "step s { %s; commit }\nsession b\nstep w { begin; %s; "
                   "commit }\npermutation r w s\n",
                   cases[i].first, cases[i].second, cases[i].write);
        play(db, text.at, &r, &done);
        printf("# %s: %s%s\n", cases[i].second, done.refusal, r.text);
        CHECK_TEXT(done.refusal, "");
        CHECK(r.verdict[LEVEL_SI] == VERDICT_VIOLATED);
        CHECK(trial_told(&r, cases[i].told));
        buf_free(&text);
    }
}

/* Constraints are checked in the latest state, which a snapshot may lack.  In
 * the other order nothing is wrong. */
static void
check_constraints(struct database *db)
{
    static const struct {
        const char *first, *write, *second;
        bool fails;
    } cases[] = {
        // The row that is referred to is there, or is not.
        {"select * from p where id = 3", "insert into p values (3, 30, 0)",
         "insert into t values (9, 3)", false},
        {"select * from p where id = 2", "delete from p where id = 2",
         "insert into t values (9, 2)", true},
        // No row refers to one that is deleted.
        {"select * from t", "delete from t where id = 7",
         "delete from p where id = 1", false},
        // No other row has the value of a unique index, or one has it.
        {"select * from p where w = 20", "delete from p where id = 2",
         "insert into p values (5, 20, 0)", false},
        {"select * from p where w = 30", "insert into p values (3, 30, 0)",
         "insert into p values (5, 30, 0)", true},
    };
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        struct buf text = {0};
        struct trial_result r;
        struct interleaved done;
        buf_printf(&text,
                   "setup { create table p (id int primary key, w int unique, "
                   "v int); create table t (id int primary key, p int, foreign "
                   "key (p) references p (id)); insert into p values (1, 10, "
                   "0), (2, 20, 0); insert into t values (7, 1) }\n"
                   "teardown { drop table t; drop table p }\nsession a\n"
                   "step r { begin isolation level repeatable read; %s }\n"
                   "step s { %s }\nstep c { commit }\nsession b\n"
                   "step w { begin; %s; commit }\npermutation %s\n",
                   cases[i / 2].first, cases[i / 2].second, cases[i / 2].write,
                   i % 2 ? "r w s c" : "w r s c");
        play(db, text.at, &r, &done);
        printf("# %s: %s%s\n", cases[i / 2].second, done.refusal, r.text);
        CHECK_TEXT(done.refusal, "");
        CHECK(done.committed == 2 && done.failed == cases[i / 2].fails);
        CHECK(r.verdict[LEVEL_SER] == (i % 2 ? VERDICT_VIOLATED : VERDICT_OK));
        buf_free(&text);
    }
}

/* Constraints compare texts as texts, and numbers exactly. */
static void
compare_by_type(struct database *db)
{
    static const struct {
        const char *setup, *a, *b;
    } cases[] = {
        {"create table t (s varchar(9), v int, unique (s))",
         "insert into t values ('01', 1)", "insert into t values ('1', 2)"},
        {"create table t (s varchar(9), v int, unique (s, v))",
         "insert into t values ('7 up', 1)", "insert into t values ('7', 1)"},
        {"create table t (e enum('2', '1'), unique (e))",
         "insert into t values ('2')", "insert into t values ('1')"},
        {"create table t (e set('2', '1'), unique (e))",
         "insert into t values ('2')", "insert into t values ('1')"},
        {"create table t (y year, unique (y))", "insert into t values ('0000')",
         "insert into t values ('2000')"},
        {"create table t (d decimal(30, 2), unique (d))",
         "insert into t values (12345678901234567890.50)",
         "insert into t values (12345678901234567890.75)"},
        {"create table t (d double, unique (d))",
         "insert into t values ('1e300'), (0.1)", "insert into t values (0.3)"},
        {"create table t (d bigint unsigned, unique (d))",
         "insert into t values (18446744073709551614)",
         "insert into t values (18446744073709551615)"},
        {"create table p (s varchar(9) primary key); create table t (id int "
         "primary key, s varchar(9), foreign key (s) references p (s)); insert "
         "into p values ('1'), ('01')",
         "insert into t values (1, '1')",
         "select * from t; delete from p where s = '01'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf text = {0};
        struct trial_result r;
        struct interleaved done;
        buf_printf(&text,
                   "setup { %s }\nteardown { drop table t; drop table if "
                   "exists p }\nsession a\nstep a { begin; %s; commit }\n"
                   "session b\nstep b { begin; %s; commit }\n"
                   "permutation a b\n",
                   cases[i].setup, cases[i].a, cases[i].b);
        play(db, text.at, &r, &done);
        printf("# %s: %s%s\n", cases[i].b, done.refusal, r.text);
        CHECK_TEXT(done.refusal, "");
        CHECK(done.committed == 2 && !done.failed);
        CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
        buf_free(&text);
    }
}

/* What the setup has set for itself does not hold for sessions. */
static void
ask_as_a_session(struct database *db)
{
    struct trial_result r;
    struct interleaved done;
    struct connection *c;
    struct err err = {0};
    CHECK(db->driver->connect(db, 0, 0, &c, &err));
    CHECK(c->driver->query(c, "set global foreign_key_checks = 0", NULL) ==
          OUTCOME_OK);
    play(db,
         "setup { set foreign_key_checks = 1; create table p (id int primary "
         "key); create table t (id int primary key, p int, foreign key (p) "
         "references p (id)); insert into p values (1) }\n"
         "teardown { drop table t; drop table p }\n"
         "session a\nstep x { delete from p }\n"
         "session b\nstep y { insert into t values (7, 1) }\n"
         "permutation x y\n",
         &r, &done);
    CHECK_TEXT(done.refusal, "");
    CHECK(done.committed == 2 && !done.failed);
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
    CHECK(c->driver->query(c, "set global foreign_key_checks = 1", NULL) ==
          OUTCOME_OK);
    c->driver->disconnect(c);
}

/* A deadlock rolls the whole transaction back, also inside of a savepoint. */
static void
roll_back_behind_savepoints(struct database *db)
{
    struct trial_result r;
    struct interleaved done;
    play(db,
         "setup { create table t (id int primary key, v int); insert into t "
         "values (1, 0), (2, 0), (3, 0), (4, 0) }\nteardown { drop table t }\n"
         "session a\nstep w1 { begin; update t set v = 1 where id = 1; "
         "savepoint p }\nstep w2 { update t set v = 1 where id = 2 }\n"
         "step c1 { commit }\nsession b\n"
         "step w3 { begin; update t set v = 2 where id > 1 }\n"
         "step w4 { update t set v = 2 where id = 1 }\nstep c2 { commit }\n"
         "permutation w1 w3 w2 w4 c1 c2\n",
         &r, &done);
    CHECK_TEXT(done.refusal, "");
    CHECK(done.committed == 1);
    CHECK(r.verdict[LEVEL_SER] == VERDICT_OK);
}

/* Statements that are refused, and some that fail and are known. */
static void
refuse_or_read(struct database *db)
{
    static const struct {
        const char *setup, *statement, *refusal;
    } cases[] = {
        {T, "insert into t values (1, 0, '')", ""},
        {T, "insert into t values (5, 0, ''), (5, 1, '')", ""},
        {T "; create index i on t (v)", "select id from t where v = 10",
         "an index has all columns that are read, so recording would lock "
         "more"},
        {T "; create index i on t (v)", "select * from t where v = 10", ""},
        {T, "replace into t values (1, 0, '')",
         "REPLACE deletes rows here that it would update otherwise"},
        {T, "select * from t where v = @x",
         "found '@', which is not understood here"},
        {T,
         "insert into t values (1, 0, 0) on duplicate key update v = "
         "(select 1)",
         "found 'select', which is not understood here"},
        {"create table t (f float)", "select * from t",
         "table 't': the type of a column is not recorded"},
        {"create table t (v int) engine=myisam", "select * from t",
         "table 't': its engine is not InnoDB"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf text = {0};
        struct trial_result r;
        struct interleaved done;
        buf_printf(&text,
                   "setup { %s }\nteardown { drop table t }\nsession a\n"
                   "step x { begin; %s }\nstep c { select * from t; commit }\n"
                   "permutation x c\n",
                   cases[i].setup, cases[i].statement);
        play(db, text.at, &r, &done);
        CHECK_TEXT(done.refusal, cases[i].refusal);
        CHECK(done.refusal[0] || r.verdict[LEVEL_SER] == VERDICT_OK);
        CHECK(done.failed == (i < 2));
        buf_free(&text);
    }
}

static void
play_all(struct database *db, const char *url)
{
    (void)url;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        play_form(db, &forms[i]);
    break_snapshots(db);
    check_constraints(db);
    compare_by_type(db);
    ask_as_a_session(db);
    roll_back_behind_savepoints(db);
    refuse_or_read(db);
}

static void
every_form_of_a_statement_is_recorded(void)
{
    rows_on_server("mariadb", play_all);
}

int
main(void)
{
    RUN(every_form_of_a_statement_is_recorded);
    return test_end();
}
