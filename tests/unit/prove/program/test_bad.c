/* test_bad.c -- what is not understood is an error with its line, and what is
 * understood means what it says.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "examples.h"

#include "prove/program/read.h"

#include <stdlib.h>

/* The parser loses a byte of a function that it refuses. */
const char *__lsan_default_suppressions(void);
const char *
__lsan_default_suppressions(void)
{
    return "leak:libpg_query";
}

#define TABLE "CREATE TABLE t (k int PRIMARY KEY, v int, s text);\n"
#define FUNCTION(body)                                                         \
    TABLE "CREATE FUNCTION f(p int) RETURNS int LANGUAGE plpgsql AS $$\n"      \
          "DECLARE a int; r record;\n"                                         \
          "BEGIN\n" body "\nEND $$;\n"

#define MOMENTS(body)                                                          \
    "CREATE TABLE t (k int PRIMARY KEY, v int, d date, ts timestamp);\n"       \
    "CREATE FUNCTION f(p int) RETURNS boolean LANGUAGE plpgsql AS $$\n"        \
    "DECLARE a int;\n"                                                         \
    "BEGIN\n" body "\nEND $$;\n"

static const struct {
    const char *text, *message;
} bad[] = {
    {"CREATE TABEL t (k int);",
     "bad.sql:1:8: syntax error at or near \"TABEL\""},
    {TABLE, "bad.sql: no functions, expected one for each transaction"},
    {"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';",
     "bad.sql: no tables, expected those that the functions use"},
    {"CREATE TABLE t (k int);\nCREATE TABLE t (k int);",
     "bad.sql:2:14: a second table 't'"},
    {"CREATE TABLE t (k int, k int);", "bad.sql:1:24: a second column 'k'"},
    {"CREATE TABLE t (k int PRIMARY KEY DEFERRABLE);",
     "bad.sql:1:35: a constraint of a kind that is not supported"},
    {"CREATE TABLE t (k int, UNIQUE (x));",
     "bad.sql:1:24: table t has no column 'x'"},
    {FUNCTION("a := 1;\nb := 2;"), "bad.sql:6: \"b\" is not a known variable"},
    {FUNCTION("UPDATE u SET v = 1;"), "bad.sql:5: there is no table 'u'"},
    {FUNCTION("UPDATE t SET x = 1;"), "bad.sql:5: table t has no column 'x'"},
    {FUNCTION("UPDATE t SET v = 1\nWHERE x = 1;"),
     "bad.sql:6: 'x' names no column or variable"},
    {FUNCTION("UPDATE t SET k = 1;"),
     "bad.sql:5: an update of the key column 'k' is not supported"},
    {FUNCTION("a := public.abs(p);"),
     "bad.sql:5: function abs is not supported here"},
    {FUNCTION("EXECUTE 'SELECT 1';"),
     "bad.sql:5: dynamic SQL (EXECUTE) is not supported"},
    {FUNCTION("FOR r IN EXECUTE 'SELECT 1' LOOP a := 1; END LOOP;"),
     "bad.sql:5: dynamic SQL (FOR .. IN EXECUTE) is not supported"},
    {TABLE "CREATE FUNCTION f() RETURNS SETOF int LANGUAGE plpgsql AS $$\n"
           "BEGIN\nRETURN QUERY EXECUTE 'SELECT 1';\nEND $$;",
     "bad.sql:4: dynamic SQL (RETURN QUERY EXECUTE) is not supported"},
    {FUNCTION("ASSERT a > 0;"), "bad.sql:5: ASSERT is not supported"},
    {FUNCTION("COMMIT;"),
     "bad.sql:5: COMMIT inside of a function is not supported"},
    {FUNCTION("CALL f(1);"), "bad.sql:5: CALL or DO is not supported"},
    {FUNCTION("PERFORM 1 FROM t x, t y\nWHERE k = 1;"),
     "bad.sql:6: 'k' is a column of two tables here"},
    {FUNCTION("TRUNCATE t;"), "bad.sql:5: a statement that is not supported, "
                              "expected SELECT, INSERT, UPDATE or DELETE"},
    {FUNCTION("LOCK TABLE t;"),
     "bad.sql:5: a statement that is not supported, expected SELECT, INSERT, "
     "UPDATE or DELETE"},
    {FUNCTION("SAVEPOINT x;"), "bad.sql:5: a statement that is not supported, "
                               "expected SELECT, INSERT, UPDATE or DELETE"},
    {"CREATE TEMPORARY TABLE t (k int PRIMARY KEY);",
     "bad.sql:1:24: a temporary table is not supported"},
    {FUNCTION("SELECT v INTO a FROM t FOR UPDATE SKIP LOCKED;"),
     "bad.sql:5: a lock inside of a query is not supported"},
    {FUNCTION("SELECT v INTO a FROM t FOR KEY SHARE;"),
     "bad.sql:5: a lock inside of a query is not supported"},
    {FUNCTION("DELETE FROM t WHERE k = 1 RETURNING (SELECT 1) INTO a;"),
     "bad.sql:5: a query in RETURNING is not supported"},
    {FUNCTION("SELECT v FROM t;"),
     "bad.sql:5: SELECT without INTO; PERFORM discards a result"},
    {FUNCTION("INSERT INTO t VALUES (1, 2, 'x', 4);"),
     "bad.sql:5: 4 values for 3 columns"},
    {TABLE "CREATE FUNCTION f(v int) RETURNS int LANGUAGE plpgsql AS $$\n"
           "BEGIN UPDATE t SET v = 1 WHERE v = 2; END $$;",
     "bad.sql:3: 'v' is both a column and a variable here"},
    {TABLE "CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS 'pass';",
     "bad.sql:2:1: function f is in language plpython3u, expected plpgsql or "
     "sql"},
    {FUNCTION("FOR i IN 1..2 LOOP a := i; END LOOP;\nRETURN i;"),
     "bad.sql:6: 'i' names no column or variable"},
    {FUNCTION("UPDATE t SET v = 1, v = 2;"),
     "bad.sql:5: column 'v' is set twice"},
    {FUNCTION("INSERT INTO t (k, v, v) VALUES (1, 2, 3);"),
     "bad.sql:5: column 'v' is named twice"},
    {FUNCTION("INSERT INTO t VALUES (1, 2)\nON CONFLICT (k) DO UPDATE SET v = "
              "v + 1;"),
     "bad.sql:6: 'v' is a column of two tables here"},
    {FUNCTION("INSERT INTO t (k) OVERRIDING USER VALUE VALUES (1);"),
     "bad.sql:5: OVERRIDING is not supported"},
    {FUNCTION("UPDATE t SET v = 1 RETURNING v;"),
     "bad.sql:5: RETURNING without INTO"},
    {FUNCTION("RAISE NOTICE '%', (SELECT max(v) FROM t);"),
     "bad.sql:5: a query in RAISE is not supported"},
    {FUNCTION("RAISE NOTICE USING MESSAGE = (SELECT s FROM t);"),
     "bad.sql:5: a query in RAISE is not supported"},
    {FUNCTION("RETURN EXISTS (SELECT 1 FROM t FOR UPDATE);"),
     "bad.sql:5: a lock inside of a query is not supported"},
    {FUNCTION("a := v FROM t WHERE k = 1 FOR UPDATE;"),
     "bad.sql:5: a lock in an expression is not supported"},
    {"CREATE TABLE t (k int PRIMARY KEY, u text DEFAULT current_user);",
     "bad.sql:1:51: a time of day, a precision, or the current user or schema, "
     "which is not supported"},
    {TABLE "ALTER TABLE t INHERIT u;",
     "bad.sql:1: INHERIT and ATTACH PARTITION are not supported"},
    {"CREATE TABLE t (k int PRIMARY KEY);\n\\if :x\n\\endif\n",
     "bad.sql:2:1: \\if is not supported in a schema"},
    {"CREATE TABLE t (k text COLLATE \"und-x-icu\" PRIMARY KEY);",
     "bad.sql:1:24: COLLATE \"und-x-icu\", expected \"C\" or \"default\""},
    {TABLE "CREATE FUNCTION f() RETURNS void LANGUAGE sql STABLE AS $$\n"
           "UPDATE t SET v = 1 $$;",
     "bad.sql:3: a write or a lock in function f, which is STABLE or "
     "IMMUTABLE"},
    {TABLE "CREATE FUNCTION f() RETURNS int LANGUAGE sql IMMUTABLE AS $$\n"
           "SELECT v FROM t WHERE k = 1 FOR SHARE $$;",
     "bad.sql:3: a write or a lock in function f, which is STABLE or "
     "IMMUTABLE"},
    {TABLE "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$\n"
           "DECLARE x varchar(3);\nBEGIN x := 'abcd'; END $$;",
     "bad.sql:2: variable 'x' holds 3 characters, and the text 'abcd' has "
     "more, which is not supported"},
    {"CREATE TABLE t (k varchar(3) PRIMARY KEY);\nCREATE FUNCTION f() RETURNS "
     "void LANGUAGE sql AS $$\nINSERT INTO t VALUES ('abc  ') $$;",
     "bad.sql:1: a text that ends in a blank, beside a type of 3 characters, "
     "is not supported"},
    {"CREATE TABLE t (k int PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY, m "
     "numeric, c char(3));\nCREATE FUNCTION f(p int) RETURNS int LANGUAGE "
     "plpgsql AS $$\nDECLARE a numeric;\nBEGIN\nINSERT INTO t VALUES (1, "
     "2);\nEND $$;",
     "bad.sql:5: column 'n' is GENERATED ALWAYS"},
    {"CREATE TABLE t (k int PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY, m "
     "numeric, c char(3));\nCREATE FUNCTION f(p int) RETURNS int LANGUAGE "
     "plpgsql AS $$\nDECLARE a numeric;\nBEGIN\nUPDATE t SET n = 3;\nEND $$;",
     "bad.sql:5: column 'n' is GENERATED ALWAYS"},
    {TABLE "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$\nDECLARE a "
           "int NOT NULL := 1;\nBEGIN RETURN a; END $$;",
     "bad.sql:3: variable 'a' is NOT NULL, which is not supported"},
    {"-- assay: invariant t x\n" FUNCTION("a := 1;"),
     "bad.sql:1: an invariant without 'check'"},
    {"-- assay: nonsense\n" FUNCTION("a := 1;"),
     "bad.sql:1: an annotation that is not 'invariant TABLE NAME, .. [where "
     "CONDITION] check CONDITION'"},
    {"-- assay: invariant t x check x.z > 0\n" FUNCTION("a := 1;"),
     "bad.sql:1: table x has no column 'z'"},
};

/* What is not understood, and is some value or condition all the same. */
static const char *const opaque[] = {
    FUNCTION("UPDATE t SET v = 'x';"),
    FUNCTION("PERFORM pg_advisory_xact_lock(1);"),
    FUNCTION("PERFORM currval('q');"),
    TABLE "CREATE FUNCTION f(p point) RETURNS int LANGUAGE sql AS "
          "'SELECT 1';",
    FUNCTION("SELECT v INTO a FROM t WHERE s < 'x';"),
    FUNCTION("SELECT s INTO a FROM t;"),
    FUNCTION("a := length('x');"),
    FUNCTION("a := 1.5;"),
    TABLE "CREATE FUNCTION f(v int[]) RETURNS int LANGUAGE plpgsql AS $$\n"
          "BEGIN NULL; END $$;",
    TABLE "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS 'DELETE FROM t';"
          "CREATE FUNCTION f(p int) RETURNS void LANGUAGE sql AS\n'SELECT 1';",
    FUNCTION("PERFORM greatest(s, 'x') FROM t;"),
    FUNCTION("RETURN s::varchar(2) = 'abc' FROM t;"),
    MOMENTS("UPDATE t SET d = 5;"),
    MOMENTS("UPDATE t SET v = current_date;"),
    MOMENTS("UPDATE t SET v = 1 WHERE ts::date = d;"),
    MOMENTS("UPDATE t SET v = 1 WHERE ts = d;"),
    MOMENTS("UPDATE t SET v = 1 WHERE d = '2023-02-29';"),
    MOMENTS("UPDATE t SET v = 1 WHERE ts > now() - 7;"),
    MOMENTS("UPDATE t SET v = d + d;"),
    FUNCTION("RETURN p = 1;"),
    "CREATE TABLE t (k int PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY, m "
    "numeric, c char(3));\nCREATE FUNCTION f(p int) RETURNS int LANGUAGE "
    "plpgsql AS $$\nDECLARE a numeric;\nBEGIN\nUPDATE t SET m = m / 2;\nEND "
    "$$;",
    "CREATE TABLE t (k int PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY, m "
    "numeric, c char(3));\nCREATE FUNCTION f(p int) RETURNS int LANGUAGE "
    "plpgsql AS $$\nDECLARE a numeric;\nBEGIN\na := p;\na := 1 + a / 2;\nEND "
    "$$;",
    "CREATE TABLE t (k int PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY, m "
    "numeric, c char(3));\nCREATE FUNCTION f(p int) RETURNS int LANGUAGE "
    "plpgsql AS $$\nDECLARE a numeric;\nBEGIN\nSELECT sum(p::bigint) / 2 INTO "
    "a FROM t;\nEND $$;",
    FUNCTION("UPDATE t SET v = 1 FROM t u;"),
    FUNCTION("BEGIN a := 1; EXCEPTION WHEN others THEN a := 2; END;"),
    FUNCTION("GET DIAGNOSTICS a = ROW_COUNT;"),
    FUNCTION("FOREACH a IN ARRAY '{1}' LOOP NULL; END LOOP;"),
    TABLE "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$\n"
          "BEGIN RETURN 1;\nEXCEPTION WHEN others THEN RETURN 2; END $$;",
    FUNCTION("SELECT v INTO a FROM t LEFT JOIN t u USING (k);"),
    FUNCTION("SELECT v INTO a FROM t ORDER BY (SELECT 1 FROM t) LIMIT 1;"),
    TABLE "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$\n"
          "DECLARE a int := (SELECT max(v) FROM t);\nBEGIN RETURN a; END $$;",
    FUNCTION("SELECT v INTO a FROM t LIMIT 2;"),
    FUNCTION("SELECT v INTO a FROM t GROUP BY v;"),
    FUNCTION("SELECT v INTO a FROM t UNION SELECT 1;"),
    FUNCTION("WITH x AS (SELECT 1) SELECT v INTO a FROM t;"),
    FUNCTION("PERFORM 1 FROM t WHERE k = v AND p = a.k;"),
    FUNCTION("SELECT v + 1, count(*) INTO a, a FROM t;"),
    FUNCTION("SELECT (SELECT max(t.v) FROM t u) INTO a FROM t;"),
    FUNCTION("SELECT k INTO a FROM t AS u (x, k);"),
    FUNCTION("SELECT t.k INTO a FROM (t JOIN t u USING (k)) AS j;"),
    FUNCTION("SELECT * INTO r FROM t JOIN t u USING (k);"),
    FUNCTION("SELECT DISTINCT ON (v) k INTO a FROM t;"),
    FUNCTION("SELECT k INTO a FROM t ORDER BY v FETCH FIRST 1 ROWS WITH TIES;"),
    FUNCTION("RAISE NOTICE '%', f(1);"),
    MOMENTS("RETURN current_time IS NULL;"),
    "CREATE TABLE t (k int PRIMARY KEY, n int GENERATED ALWAYS AS IDENTITY, m "
    "numeric, c char(3));\nCREATE FUNCTION f(p int) RETURNS int LANGUAGE "
    "plpgsql AS $$\nDECLARE a numeric;\nBEGIN\nUPDATE t SET c = 'a ';\nEND "
    "$$;",
    "CREATE TABLE t (k int PRIMARY KEY, u uuid);\nCREATE FUNCTION f() RETURNS "
    "void LANGUAGE sql AS $$\nUPDATE t SET u = "
    "'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11' $$;",
};

/* A part of a schema that is not modelled stands in the way of the functions
 * that touch it, and of no others. */
#define OTHER                                                                  \
    "CREATE TABLE o (k int PRIMARY KEY, v int);\n"                             \
    "CREATE FUNCTION good() RETURNS void LANGUAGE sql AS 'DELETE FROM o';\n"

static const struct {
    const char *text, *function, *reason;
} refused[] = {
    {OTHER TABLE "CREATE TRIGGER g AFTER INSERT ON t EXECUTE FUNCTION h();\n"
                 "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS\n"
                 "'INSERT INTO t VALUES (1)';",
     "f", "INSERT of table t, which has trigger g, is not supported"},
    {OTHER TABLE "CREATE RULE r AS ON DELETE TO t DO NOTHING;\n"
                 "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS\n"
                 "'DELETE FROM t';",
     "f", "DELETE of table t, which has rule r, is not supported"},
    {OTHER TABLE "CREATE UNIQUE INDEX ON t (v) WHERE v > 0;\n"
                 "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS\n"
                 "'UPDATE t SET v = 1';",
     "f",
     "UPDATE of table t, which has a partial unique index, is not supported"},
    {OTHER "CREATE TABLE t (k int PRIMARY KEY, EXCLUDE (k WITH =));\n"
           "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS\n"
           "'INSERT INTO t VALUES (1)';",
     "f",
     "INSERT of table t, which has an EXCLUDE constraint, is not supported"},
    {OTHER TABLE "DO $$ BEGIN ALTER TABLE t DROP COLUMN v; END $$;\n"
                 "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS\n"
                 "'DELETE FROM t';",
     "f", "table t is not modelled (a DO block alters it)"},
    {OTHER "CREATE TABLE t (a int, b int, x int, y int, PRIMARY KEY (a, b),\n"
           "FOREIGN KEY (x, y) REFERENCES t MATCH FULL);\n"
           "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS\n"
           "'DELETE FROM t';",
     "f",
     "DELETE of table t, which has a foreign key with MATCH FULL of table t, "
     "is "
     "not supported"},
};

/* Scripts of pgbench. */
static const struct {
    const char *text, *message;
} bad_scripts[] = {
    {"\\shell date\n", "bad.sql:1: \\shell is not supported"},
    {"\\set\n", "bad.sql:1: a name of 0 letters, expected 1 to 63"},
    {"BEGIN;\nSELECT 1\n", "bad.sql:2: a statement without ';'"},
    {"BEGIN;\nSELECT 1 \\gexec\n",
     "bad.sql:2: a backslash in a statement, expected ';' or \\gset"},
    {"BEGIN;\nSELECT 1;\n", "bad.sql:1: BEGIN without COMMIT"},
    {"BEGIN;\nBEGIN;\n", "bad.sql:2: BEGIN inside of a transaction"},
    {"SELECT 1;\nCOMMIT;\n",
     "bad.sql:2: the end of a transaction that did not begin"},
    {"\\set a 1\n\\if :a = 1\nSELECT 1;\n\\endif\n",
     "bad.sql:2: \\if outside of a transaction is not supported"},
    {"\\set a random(1, 2) + 1\nSELECT :a;\n",
     "bad.sql:1: \\set a, expected random(LOW, HIGH) and nothing else, or no "
     "random value"},
    {"\\set a random(1, 2)\n\\set a random(1, 3)\nSELECT :a;\n",
     "bad.sql:3: variable 'a' is set more than once, also at random, which is "
     "not supported"},
    {"SELECT v FROM t \\gset\nSELECT :v;\n",
     "bad.sql:1: \\gset for another transaction ('v') is not supported"},
    {"BEGIN;\n\\if 1 = 1\nSELECT v FROM t \\gset\n\\endif\nEND;\n",
     "bad.sql:3: \\gset inside of \\if is not supported"},
    {"BEGIN;\nSELECT * FROM t \\gset\nEND;\n",
     "bad.sql:2: \\gset behind something else than a query of columns"},
    {"BEGIN;\nUPDATE nothing SET v = :a;\nEND;\n",
     "bad.sql:2: there is no table 'nothing'"},
    {"/* ; */\n\\set a 1\nSELECT 1; /* /* \n */ ; */\nSELECT ':a';\n",
     "bad.sql:5: variable ':a' inside of quotes is not supported"},
    {"BEGIN;\nSELECT 1 FROM;\nEND;\n",
     "bad.sql:2: syntax error at end of input"},
};

static void
each_mistake_in_a_script_has_its_message_and_line(void)
{
    for (size_t i = 0; i < sizeof bad_scripts / sizeof *bad_scripts; i++) {
        struct program p = {0};
        struct err err = {0};
        char message[1024] = "no error";
        if (!program_read_text(&p, "bad.sql", bad_scripts[i].text, &err))
            err_format(&err, message, sizeof message);
        CHECK_TEXT(message, bad_scripts[i].message);
        program_free(&p);
    }
}

static void
each_mistake_has_its_message_and_line(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct program p = {0};
        struct err err = {0};
        char message[1024] = "no error";
        if (!program_read_text(&p, "bad.sql", bad[i].text, &err))
            err_format(&err, message, sizeof message);
        CHECK_TEXT(message, bad[i].message);
        program_free(&p);
    }
}

static void
what_is_not_understood_can_be_opaque(void)
{
    for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++) {
        struct program p = {0};
        struct err err = {0};
        char message[1024] = "";
        if (!program_read_text(&p, "bad.sql", opaque[i], &err))
            err_format(&err, message, sizeof message);
        CHECK_TEXT(message, "");
        program_free(&p);
    }
}

static void
a_part_that_is_not_modelled_refuses_only_its_functions(void)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct program p = {0};
        struct err err = {0};
        CHECK(program_read_text(&p, "bad.sql", refused[i].text, &err));
        CHECK(p.functions.n == 1 && p.refused.n == 1);
        if (p.refused.n) {
            CHECK_TEXT(p.refused.at[0].function, refused[i].function);
            CHECK_TEXT(p.refused.at[0].reason, refused[i].reason);
        }
        program_free(&p);
    }
}

/* What pg_dump and migrations write. */
static void
schemas_are_read_as_they_are(void)
{
    static const char text[] =
        "\\restrict abc\n"
        "SET statement_timeout = 0;\n"
        "SELECT pg_catalog.set_config('search_path', '', false);\n"
        "CREATE SCHEMA app;\n"
        "CREATE TYPE app.state AS ENUM ('open', 'done');\n"
        "CREATE TABLE app.t (id bigint NOT NULL, s app.state, n int,\n"
        "    gone int, data jsonb DEFAULT '{}'::jsonb, CHECK (n > 0));\n"
        "ALTER TABLE app.t OWNER TO me;\n"
        "COPY app.t (id, n) FROM stdin;\n1\tCREATE\n\\.\n"
        "ALTER TABLE ONLY app.t ADD CONSTRAINT t_pkey PRIMARY KEY (id);\n"
        "ALTER TABLE app.t DROP COLUMN gone;\n"
        "ALTER TABLE app.t DROP CONSTRAINT t_n_check;\n"
        "ALTER TABLE app.t ADD COLUMN m int NOT NULL DEFAULT 0;\n"
        "CREATE FUNCTION app.f() RETURNS int LANGUAGE sql AS 'SELECT 1';\n"
        "CREATE OR REPLACE FUNCTION app.f() RETURNS void LANGUAGE plpgsql\n"
        "SET search_path = app AS $$ DECLARE r app.t;\nBEGIN\n"
        "SELECT * INTO r FROM app.t WHERE id = 1;\n"
        "IF r IS NOT NULL THEN UPDATE app.t SET m = r.m + 1 WHERE id = 1;\n"
        "END IF; EXCEPTION WHEN others THEN RAISE; END $$;\n"
        "GRANT ALL ON app.t TO me;\n";
    struct program p = {0};
    struct err err = {0};
    CHECK(program_read_text(&p, "bad.sql", text, &err));
    CHECK_TEXT(err.text, "");
    CHECK(p.functions.n == 1 && p.refused.n == 0 && p.tables.n == 1);
    const struct table *t = &p.tables.at[0];
    CHECK(t->n_columns == 5 && t->n_checks == 1 && !t->hidden_key);
    CHECK(t->primary.n == 1 && t->columns[4].not_null);
    program_free(&p);
}

static void
every_example_is_read(void)
{
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        struct program p = {0};
        struct err err = {0};
        char path[1000], message[1024] = "";
        const char *root = getenv("SOURCE_ROOT");
        snprintf(path, sizeof path, "%s/examples/programs/%s.sql",
                 root ? root : ".", example_programs[i]);
        if (!program_read(&p, (const char *const[]){path}, 1, &err))
            err_format(&err, message, sizeof message);
        CHECK_TEXT(message, "");
        CHECK(p.functions.n > 0);
        program_free(&p);
    }
}

static void
each_operator_is_itself(void)
{
    static const struct {
        const char *name;
        enum expr_kind kind;
    } rows[] = {{"=", EXPR_EQ}, {"<>", EXPR_NE}, {"!=", EXPR_NE},
                {"<", EXPR_LT}, {"<=", EXPR_LE}, {">", EXPR_GT},
                {">=", EXPR_GE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct program p = {0};
        struct err err = {0};
        char text[400];
        snprintf(text, sizeof text,
                 FUNCTION("UPDATE t SET v = 1 WHERE v %s p; RETURN 1;"),
                 rows[i].name);
        CHECK(program_read_text(&p, "good.sql", text, &err));
        const struct expr *where =
            p.functions.n ? p.functions.at[0]->body.at[0]->where : NULL;
        CHECK(where && where->kind == rows[i].kind);
        CHECK(where && where->arg[0]->kind == EXPR_COLUMN);
        program_free(&p);
    }
}

/* The order of texts depends on the collation, which no reader knows. */
static void
the_order_of_texts_is_opaque(void)
{
    static const char *const operators[] = {"<", "<=", ">", ">="};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        struct program p = {0};
        struct err err = {0};
        char text[400];
        snprintf(text, sizeof text,
                 FUNCTION("UPDATE t SET v = 1 WHERE s %s 'm'; RETURN 1;"),
                 operators[i]);
        CHECK(program_read_text(&p, "good.sql", text, &err));
        const struct expr *where =
            p.functions.n ? p.functions.at[0]->body.at[0]->where : NULL;
        CHECK(where && where->kind == EXPR_OPAQUE);
        CHECK_TEXT(where && where->name ? where->name : "", operators[i]);
        program_free(&p);
    }
}

int
main(void)
{
    RUN(each_mistake_has_its_message_and_line);
    RUN(each_mistake_in_a_script_has_its_message_and_line);
    RUN(what_is_not_understood_can_be_opaque);
    RUN(a_part_that_is_not_modelled_refuses_only_its_functions);
    RUN(schemas_are_read_as_they_are);
    RUN(every_example_is_read);
    RUN(each_operator_is_itself);
    RUN(the_order_of_texts_is_opaque);
    return test_end();
}
