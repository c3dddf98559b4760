/* test_rows.c -- rows of real SQL on PostgreSQL: each form of a statement, in a
 * serial interleaving that holds and in another one that does not.
 *
 * SPDX-License-Identifier: MIT */
#include "rows_test.h"

/* Two sessions, each with a read and a write, a setup, and whether the
 * interleaving of reads before writes breaks it. */
struct form {
    const char *name;
    const char *setup, *teardown;
    const char *read1, *write1, *read2, *write2;
};

#define T TABLE_T("text")

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
     "delete from t where v = (select x.v from t x order by x.v desc, x.id "
     "limit 1)"},
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
    struct buf text = {0};
    write_spec(f, &text);
    rows_expect(db, f->name, text.at, is_whole, LEVEL_BIT(LEVEL_SI));
    buf_free(&text);
}

static void
commit_what_was_prepared(struct database *db)
{
    static const char text[] =
        "setup { " T " }\nteardown { " DROP " }\nsession a\nstep r1 { " SNAPSHOT
        "; select v from t where id = 2; update t set v = 1 where id = 1 }\n"
        "step p1 { prepare transaction 'assay a' }\n"
        "step c1 { commit prepared 'assay a' }\nsession b\nstep r2 { " SNAPSHOT
        "; select v from t where id = 1; update t set v = 2 where id = 2 }\n"
        "step p2 { prepare transaction 'assay b' }\n"
        "step c2 { commit prepared 'assay b' }\n"
        "permutation r1 p1 c1 r2 p2 c2\npermutation r1 r2 p1 p2 c2 c1\n";
    rows_expect(db, "prepared transactions", text, true, 0);
}

static void
play_all(struct database *db, const char *url)
{
    (void)url;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        play(db, &forms[i], true);
    for (size_t i = 0; i < sizeof forms_in_part / sizeof forms_in_part[0]; i++)
        play(db, &forms_in_part[i], false);
    commit_what_was_prepared(db);
}

static void
every_form_of_a_statement_is_recorded(void)
{
    rows_on_server("postgresql", play_all);
}

int
main(void)
{
    RUN(every_form_of_a_statement_is_recorded);
    return test_end();
}
