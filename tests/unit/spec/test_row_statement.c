/* test_row_statement.c -- what is understood of statements about rows, and what
 * is refused.
 *
 * SPDX-License-Identifier: MIT */
#include "base/buf.h"
#include "spec/row/row_dialect.h"
#include "spec/row/row_statement.h"

#include "test.h"

#include <string.h>

static struct watched watched;
static struct arena arena;

static void
add_table(const char *name, const char *key, const char *refusal)
{
    struct watched_table t = {.name = name,
                              .schema = "public",
                              .relation = name,
                              .is_visible = true,
                              .refusal = refusal};
    if (key)
        vec_push(&t.keys, key);
    vec_push(&t.columns, "id");
    vec_push(&t.columns, "v");
    vec_push(&watched.tables, t);
}

static void
set_up(void)
{
    watched.dialect = row_dialect_of("postgresql");
    add_table("t", "id", NULL);
    vec_push(&watched.tables.at[0].integers, "id");
    vec_push(&watched.tables.at[0].integers, "v");
    vec_push(&watched.tables.at[0].texts, "n");
    add_table("s", NULL, NULL);
    add_table("w", NULL, "it is a view");
    add_table("p", "id", NULL);
    vec_top(&watched.tables).is_partitioned = true;
    vec_push(&watched.functions, "mine");
}

/* The condition of a statement, or why it is refused. */
static const char *
condition_of(const char *text)
{
    struct row_statement s;
    struct refusal refusal = {0};
    if (!row_statement_parse(&watched, &arena, text, &s, &refusal))
        return arena_copy(&arena, refusal.text, strlen(refusal.text));
    const char *condition = s.table == WATCHED_NONE ? "none" : s.condition;
    row_statement_free(&s);
    return condition;
}

static bool
is_partial(const char *text)
{
    struct row_statement s;
    struct refusal refusal = {0};
    CHECK(row_statement_parse(&watched, &arena, text, &s, &refusal));
    CHECK_TEXT(refusal.text, "");
    const bool partial = s.part != NULL;
    row_statement_free(&s);
    return partial;
}

static void
conditions_are_found(void)
{
    CHECK_TEXT(condition_of("select * from t where v > 5 order by id"),
               "v > 5");
    CHECK_TEXT(condition_of("select t.limit from public.t where t.limit > 1 "
                            "and t.where = 'for' limit 3"),
               "t.limit > 1 and t.where = 'for'");
    CHECK_TEXT(condition_of("select a is distinct from b from t"), "");
    CHECK_TEXT(condition_of("update t as x set v = case when v > 1 then 2 end "
                            "where x.v in (1, 2) returning *"),
               "x.v in (1, 2)");
    CHECK_TEXT(condition_of("delete from only t where v is null"), "v is null");
    CHECK_TEXT(condition_of("select exists (select 1 from t where v = 1)"),
               "v = 1");
    CHECK_TEXT(condition_of("select * from t where pg_advisory_lock(3) is not "
                            "null and v = 1 for update"),
               "abs(3) is not null and v = 1");
    CHECK_TEXT(condition_of("merge into t using (select 1 as k) x on x.k = "
                            "t.id when matched and v > 1 then delete when not "
                            "matched then insert values (1, 2)"),
               "exists (select 1 from (select 1 as k) x where (x.k = t.id) and "
               "(false or (v > 1)))");
    CHECK_TEXT(condition_of("insert into t values (1, 2)"), "none");
    CHECK_TEXT(condition_of("select * from t, s where t.id = s.v"), "none");
    CHECK_TEXT(condition_of("select * from t for update skip locked"), "");
    CHECK_TEXT(condition_of("select * from t x where v = 1 for update of x"),
               "v = 1");
    CHECK_TEXT(condition_of("select * from t offset 1"), "none");
    CHECK_TEXT(condition_of("vacuum t"), "none");
}

static void
what_is_left_out_is_told(void)
{
    CHECK(!is_partial("select count(*) from t where v > 5"));
    CHECK(!is_partial("insert into t select g from generate_series(1, 2) g"));
    CHECK(!is_partial("insert into t select * from s"));
    CHECK(!is_partial("insert into t select * from s on conflict do nothing"));
    CHECK(is_partial("insert into t select 1 from s join t on t.id = s.v"));
    CHECK(is_partial("insert into s values (1) on conflict do nothing"));
    CHECK(!is_partial("insert into t values (1) on conflict do nothing"));
    CHECK(is_partial("select * from t join s on t.id = s.v"));
    CHECK(!is_partial("select * from t, s"));
    CHECK(is_partial("select * from t, s limit 1"));
    CHECK(is_partial("update t set v = 1 from s where t.id = s.v"));
    CHECK(!is_partial("delete from t where id = (select max(v) from s)"));
    // Which row a limit leaves has to be certain.
    CHECK(is_partial("delete from t where id in (select s.v from s limit 1)"));
    CHECK(is_partial("delete from s where v in (select x.v from t x order by "
                     "x.v limit 1)"));
    CHECK(!is_partial("delete from s where v in (select x.v from t x order by "
                      "x.v, x.id limit 1)"));
    CHECK(is_partial("delete from t where id in (select v from s offset 1)"));
    CHECK(is_partial("delete from t where id = (select v from s for update)"));
    CHECK(is_partial("delete from t where exists (select from s where s.v = "
                     "t.id)"));
    CHECK(is_partial("delete from t where exists (select from s where s.v = "
                     "other)"));
    // A column of t, if it has one of that name; else the whole row.
    CHECK(is_partial("delete from t where exists (select from s x where x is "
                     "not null)"));
    CHECK(!is_partial("delete from t where exists (select from s x where x.v "
                      "is not null)"));
    CHECK(is_partial("update t set v = (select v from s where v = (select "
                     "max(v) from s))"));
    CHECK(!is_partial("select * from t order by v limit 1"));
    CHECK(is_partial("select sum(v) over () from t order by v limit 1"));
    CHECK(!is_partial("select sum(v) over () from t order by v"));
    CHECK(is_partial("select * from t order by v fetch first 1 row with "
                     "ties"));
    CHECK(is_partial("select * from t order by v offset 1"));
    CHECK(is_partial("with x as (delete from t returning *) select * from x"));
    // What WITH names is no table, also where a table or a select is read.
    CHECK(!is_partial("with x as (select 1) insert into t select 1 from x"));
    CHECK(is_partial("with x as (select 1 as k) delete from t where id in "
                     "(select k from x)"));
    CHECK(is_partial("with x as (select 1 as k) update t set v = (select k "
                     "from x)"));
    CHECK(is_partial("merge into t using s on s.v = t.id when matched then "
                     "delete"));
}

/* A row that a condition left alone was read, and by nothing that is told. */
static void
rows_that_are_left_alone_are_told(void)
{
    CHECK(!is_partial("insert into t values (1) on conflict (id) do update set "
                      "v = 1"));
    CHECK(is_partial("insert into t values (1) on conflict (id) do update set "
                     "v = 1 where t.v > 5"));
#define MERGE "merge into t using (select 1 as k) x on x.k = t.id "
#define INSERT " when not matched then insert values (1, 2)"
    CHECK(!is_partial(MERGE "when matched then delete" INSERT));
    CHECK(!is_partial(MERGE "when matched and v > 1 then delete"));
    CHECK(is_partial(MERGE "when matched and v > 1 then delete" INSERT));
    CHECK(is_partial(MERGE INSERT));
}

static void
other_statements_are_refused(void)
{
    CHECK_TEXT(condition_of("select mine(v) from t"),
               "what the function 'mine' reads and writes is not known");
    CHECK_TEXT(condition_of("select * from t where ctid = '(0,1)'"),
               "a condition about the place of a row");
    CHECK_TEXT(condition_of("delete from t where at < now()"),
               "a condition that depends on 'now'");
    CHECK_TEXT(condition_of("delete from t where at < current_date"),
               "a condition that depends on the time or the user");
    CHECK_TEXT(condition_of("delete from t where at < 'now'"),
               "a condition with a literal that may mean the time, such as "
               "'now'");
    CHECK_TEXT(condition_of("select * from t where at && '[Today 12:00,)'"),
               "a condition with a literal that may mean the time, such as "
               "'now'");
    CHECK_TEXT(condition_of("select * from t where s = 'nowhere' and u = 'k1'"),
               "s = 'nowhere' and u = 'k1'");
    CHECK_TEXT(condition_of("select * from w"), "table 'w': it is a view");
    CHECK_TEXT(condition_of("select * from x"),
               "unknown table 'x': the setup does not create it");
    CHECK_TEXT(condition_of("select * from t where id in (select v from s)"),
               "id in (select v from s)");
    CHECK_TEXT(condition_of("select * from t where id in (select v from s "
                            "where s.id = t.id)"),
               "a select with subqueries, WITH, UNION or functions beside "
               "tables");
    CHECK_TEXT(condition_of("select * from only p where v = 1"),
               "ONLY of a partitioned table");
    CHECK_TEXT(condition_of("delete from only p"),
               "ONLY of a partitioned table");
    CHECK_TEXT(condition_of("select * from p where v = 1"), "v = 1");
    CHECK_TEXT(condition_of("merge into t using (select now() as k) x on x.k > "
                            "t.at when matched then delete"),
               "a condition that depends on 'now'");
    CHECK_TEXT(condition_of("select * from (t join s on t.id = s.v) as j"),
               "a select with subqueries, WITH, UNION or functions beside "
               "tables");
    CHECK_TEXT(condition_of("(select * from t where v = 1)"),
               "a select in parentheses");
    CHECK_TEXT(condition_of("table t"),
               "a select with subqueries, WITH, UNION or functions beside "
               "tables");
    CHECK_TEXT(condition_of("update t set v = 1 where current of c"),
               "a cursor or a parameter");
    CHECK(strncmp(condition_of("truncate t"), "found 'truncate', expected",
                  26) == 0);
    CHECK(strncmp(condition_of("vacuum full t"), "found 'vacuum'", 14) == 0);
    CHECK(strncmp(condition_of("set search_path = x"), "found 'set'", 11) == 0);
    CHECK(strncmp(condition_of("explain analyze delete from t"),
                  "found 'explain'", 15) == 0);
}

/* A column without a name has that of what it is made of, and sorts first. */
static void
orders_of_what_is_computed_are_refused(void)
{
    static const char *const refused[] = {
        "select id::text from t order by id limit 1",
        "select v collate \"C\" from t order by v limit 1",
        "select a[1] from t order by a limit 1 for update",
        "select case when true then 1 else v end from t order by v limit 1",
        "select nullif(v, 1) from t order by id, nullif limit 1",
        "select (select max(v) from s) from t order by max limit 1",
        "select t.v from t, s order by v limit 1",
        "select 1 as id from t order by id limit 1",
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        CHECK_TEXT(condition_of(refused[i]),
                   "a limit or a lock with an order or groups of expressions");
    CHECK_TEXT(condition_of("select id::text from t order by t.id limit 1"),
               "");
    CHECK_TEXT(condition_of("select t.v, v + 1, 1, v is null from t order by v "
                            "limit 1"),
               "");
    CHECK_TEXT(condition_of("select id::text from t order by id"), "");
    // Others name it only as they are told, in any case.
    watched.dialect = row_dialect_of("mariadb");
    CHECK_TEXT(condition_of("select -id as `ID` from t order by id limit 1"),
               "a limit or a lock with an order or groups of expressions");
    watched.dialect = row_dialect_of("postgresql");
}

/* What is run for a statement whose values are used. */
static const char *
answered(const char *text)
{
    struct row_statement s;
    struct refusal refusal = {0};
    CHECK(row_statement_parse(&watched, &arena, text, &s, &refusal));
    CHECK(row_statement_answer(&watched, &arena, text, &s, &refusal));
    const char *sql = s.sql;
    row_statement_free(&s);
    return sql;
}

static void
items_end_at_the_tables(void)
{
    CHECK(strstr(answered("select v is distinct from 5 as d, v is not distinct "
                          "from 6 as e from t where v is distinct from 7"),
                 "union all (select v is distinct from 5 as d, v is not "
                 "distinct from 6 as e , 0, null, null from t where v is "
                 "distinct from 7)"));
    CHECK(strstr(answered("select distinct v from t"),
                 "union all (select distinct v , 0, null, null from t)"));
}

/* A lock that is not taken when a select is recorded would let others go on. */
static void
functions_that_act_are_called_or_refused(void)
{
#define NOT_CALLED                                                             \
    " among the items of a select of tables is not called when it is recorded"
    CHECK_TEXT(condition_of("select pg_advisory_xact_lock(id) from t where id "
                            "= 1"),
               "'pg_advisory_xact_lock'" NOT_CALLED);
    CHECK_TEXT(condition_of("select v, nextval('s') + 1 from t for update"),
               "'nextval'" NOT_CALLED);
    CHECK_TEXT(condition_of("select v, (select nextval('s') from s) from t"),
               "'nextval'" NOT_CALLED);
    CHECK_TEXT(condition_of("select pg_advisory_xact_lock(1)"), "none");
    CHECK_TEXT(condition_of("select exists (select nextval('s') from t)"), "");
    CHECK_TEXT(condition_of("insert into t select nextval('s'), v from s"),
               "none");
    CHECK(!is_partial("insert into t select nextval('s'), v from s"));
    CHECK_TEXT(condition_of("delete from t where id = (select 1 + v from s)"),
               "id = (select 1 + v from s)");
}

static bool
is_blind(const char *text)
{
    struct row_statement s;
    struct refusal refusal = {0};
    CHECK(row_statement_parse(&watched, &arena, text, &s, &refusal));
    const bool blind = s.is_blind;
    row_statement_free(&s);
    return blind;
}

static void
updates_that_read_nothing_are_told(void)
{
    CHECK(is_blind("update t set v = 1, w = default where id = 7"));
    CHECK(!is_blind("update t set v = 1 where id = 7 returning *"));
    CHECK(!is_blind("update t set v = v + 1"));
    CHECK(!is_blind("update t set v[1] = 1 where id = 7"));
    CHECK(!is_blind("update t set (v.x, w) = (1, 2) where id = 7"));
}

/* Without RECURSIVE such a name is the table itself in its own definition and
 * in those before it, and that read would be neither recorded nor told. */
static void
names_that_hide_tables_are_refused(void)
{
    static const char *const statements[] = {
        "with t as (select * from t) insert into s select id, v from t",
        "with x as (select * from t), t as (select 5 as id, 6 as v) insert "
        "into s select id, v from x",
        "insert into s with t as (select * from t) select id, v from t",
        "insert into s select * from (with t as (select * from t) select * "
        "from t) x",
        "insert into s values ((with t as (select * from t) select max(v) "
        "from t), 1)",
        "with t as (select * from t) select * from t",
        "with t as (select * from t) select * from pg_class",
        "with t as (select * from t) delete from s",
        "update s set v = (with t as (select v from t) select max(v) from t)",
        "with t as (select 1 as k) merge into s using t on s.v = t.k when "
        "matched then delete",
        "with t as (select 1) insert into t values (1, 2)",
        "with recursive t as (select 1) insert into s select 1, 2 from t",
    };
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        CHECK_TEXT(condition_of(statements[i]),
                   "WITH defines 't', which is also a table");
    CHECK_TEXT(condition_of("with x as (select 1) insert into x values (1)"),
               "unknown table 'x': the setup does not create it");
    watched.dialect = row_dialect_of("duckdb");
    CHECK_TEXT(condition_of("with \"T\" as (select * from t) insert into s "
                            "select * from \"T\""),
               "WITH defines 'T', which is also a table");
    watched.dialect = row_dialect_of("postgresql");
}

/* "1 of ...", "2 only": the equalities of integers that a condition implies,
 * and whether it says more. */
static const char *
equalities_of(const char *condition)
{
    struct row_statement s;
    struct refusal refusal = {0};
    struct buf text = {0};
    buf_printf(&text, "select * from t where %s", condition);
    CHECK(row_statement_parse(&watched, &arena, text.at, &s, &refusal));
    buf_clear(&text);
    for (size_t i = 0; i < s.n_equalities; i++)
        if (s.equalities[i].text)
            buf_printf(&text, "%u='%s' ", s.equalities[i].column,
                       s.equalities[i].text);
        else
            buf_printf(&text, "%s=%d ", s.equalities[i].column ? "v" : "id",
                       (int)s.equalities[i].value);
    buf_text(&text, s.is_equality ? "only" : "...");
    row_statement_free(&s);
    const char *copy = arena_copy(&arena, text.at, text.n);
    buf_free(&text);
    return copy;
}

static void
equalities_of_integers_are_found(void)
{
    CHECK_TEXT(equalities_of("id = 7"), "id=7 only");
    CHECK_TEXT(equalities_of("-7 = t.id and w > 5"), "id=-7 ...");
    CHECK_TEXT(equalities_of("id = 7 and (v = (-1) and id = 8)"),
               "id=8 v=-1 id=7 only");
    CHECK_TEXT(equalities_of("id = 7 or v = 1"), "...");
    CHECK_TEXT(equalities_of("n = 'it''s' and 7 = id"), "id=7 2='it's' only");
    CHECK_TEXT(equalities_of("'' = n and n > 'a'"), "2='' ...");
    CHECK_TEXT(equalities_of("n = 7 and n = 'a'::text and n like 'a'"), "...");
    CHECK_TEXT(equalities_of("id = '7' and n = N'a'"), "...");
    CHECK_TEXT(equalities_of("not id = 7"), "...");
    CHECK_TEXT(equalities_of("(id = 7) is true and id + 1 = 8"), "...");
    CHECK_TEXT(equalities_of("id = '7' and v = 1.0 and w = 1"), "...");
    CHECK_TEXT(equalities_of("id = 1234567890123456 and v <> 1"), "...");
    CHECK_TEXT(equalities_of("ID = 7 and \"ID\" = 8"), "id=7 ...");
    CHECK_TEXT(equalities_of("id = 7 and v || 'x' = 'y'"), "id=7 ...");
    watched.dialect = row_dialect_of("mariadb");
    CHECK_TEXT(equalities_of("`ID` = 7 and V = 1"), "v=1 id=7 only");
    CHECK_TEXT(equalities_of("id = 7 and \"v\" = 8"), "...");
    CHECK_TEXT(equalities_of("id = 7 and v || 1"), "..."); // OR
    watched.dialect = row_dialect_of("postgresql");
}

int
main(void)
{
    if (!row_statement_load()) {
        printf("1..0 # SKIP this build has no SQL parser\n");
        return 0;
    }
    set_up();
    RUN(conditions_are_found);
    RUN(equalities_of_integers_are_found);
    RUN(what_is_left_out_is_told);
    RUN(rows_that_are_left_alone_are_told);
    RUN(other_statements_are_refused);
    RUN(orders_of_what_is_computed_are_refused);
    RUN(items_end_at_the_tables);
    RUN(functions_that_act_are_called_or_refused);
    RUN(updates_that_read_nothing_are_told);
    RUN(names_that_hide_tables_are_refused);
    watched_free(&watched);
    arena_free(&arena);
    return test_end();
}
