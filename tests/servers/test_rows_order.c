/* test_rows_order.c -- writes that read nothing are in the order in which the
 * database made them: on the server that is named, 'postgresql' or 'mariadb'.
 *
 * Three transactions write the same row.  The first has read another row, which
 * the second writes as well.  What the third leaves does not tell in which
 * order the others wrote; only the versions do, which name those they replaced.
 *
 * SPDX-License-Identifier: MIT */
#include "rows_test.h"

struct form {
    const char *server; // NULL: any
    const char *setup, *teardown;
    const char *first, *second, *third;
    bool is_unknown; // which version was replaced
};

#define T TABLE_T("varchar(9)")
#define PG "postgresql"
#define MARIA "mariadb"

static const struct form forms[] = {
    {NULL, T, DROP, "update t set v = 1 where id = 1",
     "update t set v = 2 where id = 1", "update t set v = 3 where id = 1",
     false},
    {NULL, T, DROP, "update t set v = 1", "update t set v = 2",
     "update t set v = 3", false},
    {NULL, T, DROP, "delete from t where id = 1",
     "update t set v = 2 where id = 1", "insert into t values (1, 3, '')",
     false},
    {NULL, T, DROP,
     "delete from t where id = 1; insert into t values (1, 4, '')",
     "update t set v = 2 where id = 1",
     "delete from t where id = 1; insert into t values (1, 5, '')", false},
    {NULL, T, DROP,
     "savepoint x; update t set v = 1 where id = 1; rollback to x; update t "
     "set v = 2 where id = 1; savepoint y; delete from t; rollback to y",
     "savepoint x; delete from t where id = 1; rollback to x; update t set "
     "v = 3 where id = 1",
     "update t set v = 4 where id = 1", false},
    // InnoDB keeps the version if nothing in it changes.
    {MARIA, T, DROP, "update t set v = 1 where id = 1",
     "update t set v = 2 where id = 1; update t set v = 2 where id = 1",
     "update t set v = 3 where id = 1", true},
    {MARIA, T, DROP,
     "insert into t values (1, 0, '') on duplicate key update v = 1",
     "insert into t values (1, 0, '') on duplicate key update v = 2",
     "insert into t values (1, 0, '') on duplicate key update v = 3", false},
    {PG, T, DROP, "update t set v = 1 where id = 1",
     "update t set v = 2 where id = 1; update t set v = 2 where id = 1",
     "update t set v = 3 where id = 1", false},
    {PG, T, DROP,
     "insert into t values (1) on conflict (id) do update set v = 1",
     "insert into t values (1) on conflict (id) do update set v = 2",
     "insert into t values (1) on conflict (id) do update set v = 3", false},
    {PG, T, DROP,
     "merge into t using (select 1 as k) x on x.k = t.id when matched then "
     "update set v = 1",
     "merge into t using (select 1 as k) x on x.k = t.id when matched then "
     "update set v = 2",
     "merge into t using (select 1 as k) x on x.k = t.id when matched then "
     "delete",
     false},
    {PG, T, DROP, "with x as (update t set v = 1 where id = 1) select 1",
     "with x as (update t set v = 2 where id = 1) select 1",
     "with x as (update t set v = 3 where id = 1) select 1", false},
    {PG,
     "create table t (id int primary key, v int) partition by list (id); "
     "create table t1 partition of t for values in (1, 3); create table t2 "
     "partition of t for values in (2, 4); insert into t values (1, 1), (2, "
     "20)",
     DROP, "update t set id = 4 where id = 1; update t set id = 1 where id = 4",
     "update t set v = 2 where id = 1", "update t set v = 3 where id = 1",
     false},
    {PG,
     T "; create table p (id int primary key); insert into p values (1), (2), "
       "(3), (4); alter table t add p int default 1 references p on delete set "
       "null on update cascade",
     DROP "; drop table p", "update t set p = 3 where id = 1",
     "update t set p = 2 where id = 1; update p set id = 5 where id = 2",
     "update t set p = 4 where id = 1; delete from p where id = 4", false},
    // A row that refers to itself changes once more before the first change is
    // told; so it does where a trigger writes it again.
    {PG,
     "create table t (id int primary key, v int, p int unique references t (p) "
     "on update cascade); insert into t values (1, 1, 1), (2, 2, 2)",
     DROP, "update t set p = 7 where id = 1", "update t set p = 8 where id = 1",
     "update t set p = 9 where id = 1", false},
    {PG,
     T "; create function f() returns trigger language plpgsql as $$ begin if "
       "new.v < 9 then update t set v = v + 3 where id = new.id; end if; "
       "return null; end $$; create trigger a after update on t for each row "
       "execute function f()",
     DROP "; drop function f()", "update t set v = 1 where id = 1",
     "update t set v = 2 where id = 1", "update t set v = 3 where id = 1",
     false},
};

static struct database db;

/* In the first order they run one after the other. */
static void
play(const struct form *f)
{
    const level_set levels =
        LEVEL_BIT(LEVEL_RC) | LEVEL_BIT(LEVEL_SI) | LEVEL_BIT(LEVEL_SER);
    struct rows_play p;
    struct buf text = {0};
    buf_printf(&text,
               "setup { %s }\nteardown { %s }\nsession a\n"
               "step r1 { begin isolation level read committed; select v from "
               "t where id = 2 }\nstep w1 { %s; commit }\n"
               "session b\nstep w2 { begin; update t set v = 9 where id = 2; "
               "%s; commit }\nsession c\nstep w3 { begin; %s; commit }\n"
               "permutation r1 w1 w2 w3\npermutation r1 w2 w1 w3\n",
               f->setup, f->teardown, f->first, f->second, f->third);
    rows_open(&p, &db, text.at);
    for (size_t k = 0; k < 2; k++) {
        struct interleaved done;
        struct trial_result r = {0};
        rows_run(&p, k, &done);
        CHECK_TEXT(done.refusal, "");
        CHECK(done.is_possible && !done.failed && done.committed == 3);
        CHECK(trial_check(p.path, levels, &r));
        printf("# %s: %s\n", f->first, r.text);
        const enum verdict expected =
            k && !f->is_unknown ? VERDICT_VIOLATED : VERDICT_OK;
        CHECK(r.verdict[LEVEL_RC] == VERDICT_OK);
        CHECK(r.verdict[LEVEL_SI] == expected);
        CHECK(r.verdict[LEVEL_SER] == expected);
    }
    rows_close(&p);
    buf_free(&text);
}

static void
blind_writes_are_ordered(void)
{
    if (!row_setup_records(&db))
        SKIP("rows are not recorded on this server");
    for (size_t i = 0; !test_skipped && i < sizeof forms / sizeof forms[0]; i++)
        if (!forms[i].server || strcmp(forms[i].server, db.driver->scheme) == 0)
            play(&forms[i]);
}

int
main(int argc, char **argv)
{
    struct servers servers;
    struct err err = {0};
    if (!start_or_skip(argc > 1 ? argv[1] : PG, &servers))
        return 0;
    CHECK(database_open(servers.url, ISOLATION_UNCHANGED, NULL, &db, &err));
    RUN(blind_writes_are_ordered);
    database_close(&db);
    servers_stop(&servers);
    return test_end();
}
