/* test_statement.c -- a statement is understood exactly, or refused by name.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/buf.h"
#include "base/random.h"
#include "spec/script.h"

/* A specification of one step. */
struct one {
    struct spec spec;
    struct script script;
};

static void
open_one(struct one *o, const char *scheme, const char *setup, const char *step)
{
    struct err err = {0};
    struct buf text = {0};
    buf_printf(&text, "setup {%s} session s step a {%s}", setup, step);
    CHECK(spec_parse(text.at, text.n, &o->spec, &err));
    script_read(&o->spec, flavour_of(scheme), NULL, &o->script);
    buf_free(&text);
}

static void
close_one(struct one *o)
{
    script_free(&o->script);
    spec_free(&o->spec);
}

static const char *
why_refused(const struct one *o)
{
    const uint32_t whole = o->script.refusal,
                   step = o->script.steps.at[0].refusal;
    const uint32_t r = whole != SCRIPT_UNDERSTOOD ? whole : step;
    return r == SCRIPT_UNDERSTOOD ? "" : o->script.refusals.at[r].text;
}

#define T "create table t (id int primary key, a int, b text);"

static void
what_is_not_understood_is_refused(void)
{
    static const struct {
        const char *step, *why;
    } cases[] = {
        {"insert into t values (1, 2) on conflict do nothing", "found 'on'"},
        {"insert into t values (1, 2) on duplicate key update a = 1",
         "found 'on'"},
        {"replace into t values (1, 2)", "found 'replace'"},
        {"insert into t select 1, 2", "found 'select', expected 'values'"},
        {"insert into t values (1, (select 2))", "found 'select'"},
        {"insert into t values (1, now())", "found 'now'"},
        {"insert into t values (1, 2) returning a", "found 'returning'"},
        {"merge into t using u on t.id = u.id when matched then delete",
         "found 'merge'"},
        {"with w as (update t set a = 1 returning *) select * from w",
         "found 'with'"},
        {"update t as x set a = 1", "found 'as', expected 'set'"},
        {"update t x set a = 1", "found 'x', expected 'set'"},
        {"update only t set a = 1", "unknown table 'only'"},
        {"update t set id = 2 where id = 1", "found 'id'"},
        {"update t set a = 1 from u where t.id = u.id", "found 'from'"},
        {"update t set a = (select 1)", "found 'select'"},
        {"update t set a = 1, b = a", "column 'a' is assigned and read"},
        {"update t set a = 1, a = 2", "assigned twice"},
        {"update t set (a, b) = (1, 2)", "found '('"},
        {"update t set a = 1 where a = 2", "found 'a', expected the primary"},
        {"update t set a = 1 where id = 1 and a = 2", "found 'and'"},
        {"update t set a = 1 where id > 1", "found '>'"},
        {"update t set a = 1 where id = '1'", "found ''1''"},
        {"update t set a = 1 where id = 1.0", "found '1.0'"},
        {"update t set a = 1 where id = 1 + 1", "found '+'"},
        {"update t set a = 1 where id in (select 1)", "found 'select'"},
        {"update \"t\" set a = 1", "found '\"t\"', expected a name"},
        {"select \"a\" from t", "found '\"a\"'"},
        {"select a from \"T\"", "found '\"T\"'"},
        {"select a from t, u", "found ','"},
        {"select a from t join u using (id)", "found 'join'"},
        {"select a from t x", "found 'x'"},
        {"select x.a from t", "found 'x'"},
        {"select a x from t", "found 'x'"},
        {"select a + 1 from t", "found '+'"},
        {"select f(a) from t", "found 'f'"},
        {"select a, count(*) from t", "not both"},
        {"select count(*) from t for update", "an aggregate with"},
        {"select distinct a from t", "found 'distinct'"},
        {"select a from t limit 1", "found 'limit'"},
        {"select a from t where a > 1", "found 'a'"},
        {"select a from t where b is null", "found 'b'"},
        {"select a from t group by a", "found 'group'"},
        {"select a from t for update skip locked", "found 'skip'"},
        {"select a from (select 1) x", "found '('"},
        {"select a from nowhere",
         "unknown table 'nowhere': the setup does not create it"},
        {"select f()", "found 'f'"},
        {"select a from t where id = 1 /*! or 1 = 1 */", "found '/*'"},
        {"select a from t where id = $1", "found '$'"},
        {"delete from t using u", "found 'using'"},
        {"delete from t where id = 1 returning a", "found 'returning'"},
        {"truncate t", "found 'truncate'"},
        {"alter table t add c int", "found 'alter'"},
        {"savepoint s", "found 'savepoint'"},
        {"rollback to savepoint s", "found 'to'"},
        {"commit and chain", "found 'and'"},
        {"prepare transaction 'x'", "found 'prepare'"},
        {"set search_path = s", "found 'search_path'"},
        {"set enable_seqscan = off, autocommit = 0", "found ','"},
        {"call p()", "found 'call'"},
        {"begin isolation level chaos", "found 'chaos'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct one o;
        open_one(&o, "postgresql", T "create table u (id int primary key)",
                 cases[i].step);
        if (!strstr(why_refused(&o), cases[i].why))
            CHECK_TEXT(why_refused(&o), cases[i].why);
        close_one(&o);
    }
}

static void
tables_that_do_more_than_hold_rows_are_refused(void)
{
    static const struct {
        const char *setup, *why;
    } cases[] = {
        {"create table t (id int, a int)", "it has no primary key"},
        {"create table t (id int, a int, primary key (id, a))",
         "a primary key of several columns"},
        {"create table t (id numeric primary key, a int)",
         "must be of an integer or text type"},
        {"create table t (id int[] primary key, a int)",
         "must be of an integer or text type"},
        {"create table t (id char(3) primary key, a int)",
         "must be of an integer or text type"},
        {"create table t (id int primary key, a int unique)", "'unique'"},
        {"create table t (id int primary key, a int, unique (a))", "'unique'"},
        {T "create unique index on t (a)", "has 'create unique' about it"},
        {"create table t (id int primary key, a int check (a > 0))", "'check'"},
        {"create table t (id int primary key, a int default f())", "'f'"},
        {"create table t (id int primary key, a int references u)",
         "'references'"},
        {T "create table u (id int primary key, t int references t)",
         "another table refers to it"},
        {"create table t (id int primary key, a int generated always as (id) "
         "stored)",
         "'('"},
        {"create table t (id int primary key, \"A\" int, a int)", "'\"A\"'"},
        {"create table t () inherits (p)", "it has no primary key"},
        {T "create table c1 () inherits (t)", "another table refers to it"},
        {"create table t (id int primary key, a int) partition by range (id)",
         "'partition'"},
        {"create table t as select 1", "'as'"},
        {"create temp table t (id int primary key, a int)", "it is temporary"},
        {T T, "it is created twice"},
        {T "create trigger x after insert on \"t\" execute f()",
         "has 'create trigger' about it"},
        {T "create event trigger x on y execute f()", "found 'event'"},
        {T "drop table T", "has 'drop table' about it"},
        {T "alter database d set x = 1", "found 'database'"},
        {T "create rule r as on insert to t do nothing",
         "has 'create rule' about it"},
        {T "alter table public.t add unique (a)", "has 'alter table' about it"},
        {T "create table u (id int primary key, x int references \"t\")",
         "another table refers to it"},
        {T "do $$ begin; end $$", "found 'do'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct one o;
        open_one(&o, "postgresql", cases[i].setup, "select a from t");
        if (!strstr(why_refused(&o), cases[i].why))
            CHECK_TEXT(why_refused(&o), cases[i].why);
        close_one(&o);
    }
    struct one o;
    // Where 'A' equals 'a', keys are not told apart by their text.
    open_one(&o, "mariadb", "create table t (id text primary key, a int)",
             "select a from t");
    CHECK(strstr(why_refused(&o), "must be of an integer or text type"));
    close_one(&o);
    open_one(&o, "mariadb", "create table T (id int primary key, a int)",
             "select a from t");
    CHECK_TEXT(why_refused(&o),
               "unknown table 't': the setup does not create it");
    close_one(&o);
}

static void
refusals_have_their_place(void)
{
    static const char text[] = "setup { " T " }\n"
                               "session s\n"
                               "step ok { select a from t }\n"
                               "step bad { begin;\n"
                               "  select a\n"
                               "  from t limit 1; commit }\n"
                               "permutation ok\n"
                               "permutation ok bad\n";
    struct spec spec;
    struct script script;
    struct err err = {0};
    u32_vec order = {0};
    char line[256];
    CHECK(spec_parse(text, strlen(text), &spec, &err));
    snprintf(spec.file, sizeof spec.file, "x.spec");
    script_read(&spec, flavour_of("sqlite"), NULL, &script);
    CHECK(spec_next(&spec, 0, &order));
    CHECK(script_refuses(&script, &order) == SCRIPT_UNDERSTOOD);
    CHECK(spec_next(&spec, 1, &order));
    const uint32_t refusal = script_refuses(&script, &order);
    CHECK(refusal != SCRIPT_UNDERSTOOD);
    script_error(&script, refusal, &err);
    err_format(&err, line, sizeof line);
    CHECK_TEXT(line, "x.spec:6:10: not understood, so not checked: found "
                     "'limit', expected 'where', 'order by', 'for update' or "
                     "the end of the statement");
    vec_free(&order);
    script_free(&script);
    spec_free(&spec);
}

static void
what_a_statement_reads_and_writes_is_known(void)
{
    struct one o;
    const struct spec_statement *s;
    open_one(
        &o, "postgresql",
        "create schema s; create table public.T (A int, B text, "
        "ID int, constraint pk primary key (id))",
        "SELECT t.B, 1 AS one FROM T WHERE Id IN (011, -0, -02) OR id = 11 "
        "ORDER BY a DESC FOR NO KEY UPDATE NOWAIT");
    CHECK_TEXT(why_refused(&o), "");
    CHECK_TEXT(o.script.tables.at[0].name, "t");
    CHECK(o.script.tables.at[0].key == 2);
    s = &o.script.steps.at[0].statements.at[0];
    CHECK(s->kind == SPEC_SELECT && !s->is_whole);
    CHECK(s->reads.n == 2 && s->reads.at[0] == 1 && s->reads.at[1] == 0);
    CHECK(s->keys.n == 3);
    CHECK_TEXT(s->keys.at[0], "11");
    CHECK_TEXT(s->keys.at[1], "0");
    CHECK_TEXT(s->keys.at[2], "-2");
    close_one(&o);

    open_one(&o, "postgresql", T,
             "update t set a = a + 1 where id = 1 -- a comment; with this");
    CHECK_TEXT(why_refused(&o), "");
    s = &o.script.steps.at[0].statements.at[0];
    CHECK(s->kind == SPEC_UPDATE && s->reads.n == 1 && s->writes.n == 1);
    CHECK(s->reads.at[0] == 1 && s->writes.at[0] == 1);
    CHECK_TEXT(s->condition, "where id = 1");
    CHECK_TEXT(s->text, "update t set a = a + 1 where id = 1");
    close_one(&o);

    open_one(&o, "sqlite",
             "create table t (k varchar(9) not null primary key, a int)",
             "insert into main.t (a, k) values (1, 'it''s; x'), (2, '--');"
             "delete from t where k = 'it''s; x'");
    CHECK_TEXT(why_refused(&o), "");
    CHECK(o.script.steps.at[0].statements.n == 2);
    s = &o.script.steps.at[0].statements.at[0];
    CHECK(s->kind == SPEC_INSERT && s->names_keys && s->keys.n == 2);
    CHECK_TEXT(s->keys.at[0], "it's; x");
    CHECK_TEXT(s->condition, "where k in ('it''s; x', '--')");
    close_one(&o);
}

static void
transactions_are_understood(void)
{
    struct one o;
    open_one(&o, "mariadb", T,
             "start transaction isolation level repeatable read, read only;"
             "set transaction read write; commit work; begin; end; abort;"
             "begin transaction not deferrable isolation level SERIALIZABLE");
    CHECK_TEXT(why_refused(&o), "");
    const struct script_block *b = &o.script.steps.at[0];
    CHECK(b->statements.n == 7);
    CHECK(b->statements.at[0].kind == SPEC_BEGIN);
    CHECK_TEXT(b->statements.at[0].isolation, "repeatable read");
    CHECK(b->statements.at[1].kind == SPEC_QUIET);
    CHECK(b->statements.at[2].kind == SPEC_COMMIT);
    CHECK(b->statements.at[5].kind == SPEC_ROLLBACK);
    CHECK_TEXT(b->statements.at[6].isolation, "serializable");
    close_one(&o);
    // In MariaDB this ends the transaction.
    open_one(&o, "mariadb", T, "lock tables t read");
    CHECK(strstr(why_refused(&o), "found 'lock'"));
    close_one(&o);
    open_one(&o, "postgresql", T, "lock table t; select pg_advisory_lock(1)");
    CHECK_TEXT(why_refused(&o), "");
    close_one(&o);
}

/* The texts of statements: quotes and comments hide what is in them. */
static void
statements_end_at_semicolons_of_sql(void)
{
    static const char sql[] =
        "insert into t values ('a;b''c;d'); -- not; here\n"
        "select \";\" /* nor; here */;\n"
        "create function f() as $x$ begin; end; $y$ $x$; ; select 1";
    struct arena arena = {0};
    text_vec parts = {0};
    script_split(sql, flavour_of("postgresql"), &arena, &parts);
    CHECK(parts.n == 4);
    CHECK_TEXT(parts.at[0], "insert into t values ('a;b''c;d')");
    CHECK_TEXT(parts.at[1], "select \";\"");
    CHECK_TEXT(parts.at[2], "create function f() as $x$ begin; end; $y$ $x$");
    CHECK_TEXT(parts.at[3], "select 1");
    vec_clear(&parts);
    script_split("select 'a\\';b'; select 'c", flavour_of("mariadb"), &arena,
                 &parts);
    CHECK(parts.n == 2);
    CHECK_TEXT(parts.at[0], "select 'a\\';b'");
    vec_clear(&parts);
    script_split("select e'a\\';b', 'c\\'; x", flavour_of("postgresql"), &arena,
                 &parts);
    CHECK(parts.n == 2);
    CHECK_TEXT(parts.at[1], "x");
    vec_free(&parts);
    arena_free(&arena);
}

/* Words, quotes and commas in any order: nothing crashes, and whoever refuses
 * says why. */
static void
scrambled_text_is_understood_or_refused(void)
{
    static const char *const words[] = {
        "select",     "from",   "t",       "a",       "id",       "where",
        "=",          "in",     "(",       ")",       ",",        "1",
        "'x'",        "update", "set",     "insert",  "into",     "values",
        "delete",     "create", "table",   "primary", "key",      "int",
        "text",       ";",      "'",       "\"",      "/*",       "*/",
        "--",         "$$",     ".",       "*",       "begin",    "order",
        "by",         "for",    "count",   "or",      "inherits", "references",
        "not",        "null",   "default", "-",       "+",        "\\",
        "constraint", "if",     "exists",  "unique",  "index",    "on",
        "e'"};
    static const char *const schemes[] = {"postgresql", "mariadb", "sqlite"};
    struct random r;
    random_seed(&r, 7);
    for (int i = 0; i < 20000; i++) {
        struct buf setup = {0}, step = {0};
        struct one o;
        buf_text(&setup, i % 2 ? T : "create table t ");
        buf_text(&step, i % 3 ? "select a from t " : "");
        for (uint64_t n = random_below(&r, 12); n--;)
            buf_printf(i % 2 ? &step : &setup, " %s",
                       words[random_below(&r, sizeof words / sizeof *words)]);
        open_one(&o, schemes[random_below(&r, 3)], setup.at, step.at);
        const bool refused = o.script.refusal != SCRIPT_UNDERSTOOD ||
                             o.script.steps.at[0].refusal != SCRIPT_UNDERSTOOD;
        CHECK(refused == (*why_refused(&o) != 0));
        close_one(&o);
        buf_free(&setup);
        buf_free(&step);
    }
}

int
main(void)
{
    RUN(what_is_not_understood_is_refused);
    RUN(tables_that_do_more_than_hold_rows_are_refused);
    RUN(refusals_have_their_place);
    RUN(what_a_statement_reads_and_writes_is_known);
    RUN(transactions_are_understood);
    RUN(statements_end_at_semicolons_of_sql);
    RUN(scrambled_text_is_understood_or_refused);
    return test_end();
}
