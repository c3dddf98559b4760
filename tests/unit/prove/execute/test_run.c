/* test_run.c -- programs on concrete data: NULL, constraints, aborts, shapes.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "prove/execute/conflict.h"
#include "prove/execute/interleaving.h"
#include "prove/program/read.h"

#include <stdlib.h>

static struct program p;
static struct dataset initial;

static void
load(const char *text)
{
    struct err err = {0};
    char message[1024] = "";
    memset(&p, 0, sizeof p);
    if (!program_read_text(&p, "test.sql", text, &err))
        err_format(&err, message, sizeof message);
    CHECK_TEXT(message, "");
    dataset_init(&initial, &p);
}

static void
unload(void)
{
    dataset_free(&initial);
    program_free(&p);
}

/* Add a row of numbers; NONE is NULL. */
#define NONE INT64_MIN
static void
add_row(uint32_t table, const int64_t *numbers)
{
    struct datum row[8];
    for (uint32_t i = 0; i < p.tables.at[table].n_columns; i++)
        row[i] = numbers[i] == NONE ? (struct datum){0, true, false}
                                    : (struct datum){numbers[i], false, false};
    dataset_insert(&initial, table, row);
}
#define ROW(table, ...) add_row(table, (const int64_t[]){__VA_ARGS__})

static struct datum arguments[6][4], inputs[6][16];

/* Member i: a function with its arguments. */
static struct instance
call(uint32_t i, const char *name, const int64_t *values)
{
    const uint32_t f = program_find_function(&p, name);
    for (uint32_t a = 0; a < p.functions.at[f]->n_parameters; a++)
        arguments[i][a] = values[a] == NONE
                              ? (struct datum){0, true, false}
                              : (struct datum){values[a], false, false};
    for (int64_t k = 0; k < 16; k++)
        inputs[i][k] =
            (struct datum){1000 + 100 * (int64_t)i + k, false, false};
    return (struct instance){p.functions.at[f], arguments[i], inputs[i], 4};
}
#define CALL(i, name, ...) call(i, name, (const int64_t[]){__VA_ARGS__, 0})

/* The value that the transaction returns on the initial state. */
static struct datum
result_of(struct instance t, enum run_end end)
{
    struct run run = {0};
    run_on(&p, &t, &initial, &run);
    CHECK(run.end == end);
    const struct datum d =
        run.values.n ? run.values.at[run.values.n - 1] : (struct datum){0};
    run_free(&run);
    return d;
}

#define T "CREATE TABLE t (k int PRIMARY KEY, v int CHECK (v >= 0));\n"
static int64_t
value(const char *body, int64_t argument)
{
    char text[2000];
    snprintf(text, sizeof text,
             T "CREATE FUNCTION f(p int) RETURNS int LANGUAGE plpgsql AS $$\n"
               "DECLARE a int := 0; r record;\nBEGIN\n%s\nEND $$;\n",
             body);
    load(text);
    ROW(0, 1, 10);
    ROW(0, 2, NONE);
    ROW(0, 3, 30);
    const struct datum d = result_of(CALL(0, "f", argument), RUN_COMMITS);
    unload();
    return d.null ? NONE : d.number;
}

static void
nulls_follow_three_valued_logic(void)
{
    CHECK(value("RETURN p + 1;", NONE) == NONE);
    CHECK(value("IF p = 1 OR p IS NULL THEN RETURN 1; END IF; RETURN 2;",
                NONE) == 1);
    CHECK(value("IF NOT (p = 1) THEN RETURN 1; END IF; RETURN 2;", NONE) == 2);
    CHECK(value("IF p = 1 AND false THEN RETURN 1; ELSE RETURN 3; END IF;",
                NONE) == 3);
    CHECK(value("RETURN coalesce(p, 7);", NONE) == 7);
    CHECK(value("RETURN greatest(p, 7);", NONE) == 7);
    CHECK(value("IF p IS DISTINCT FROM 1 THEN RETURN 1; END IF; RETURN 2;",
                NONE) == 1);
    CHECK(value("IF p NOT IN (SELECT v FROM t) THEN RETURN 1; END IF; "
                "RETURN 2;",
                5) == 2); // a NULL among them might be 5
    CHECK(value("IF p IN (SELECT v FROM t) THEN RETURN 1; END IF; RETURN 2;",
                30) == 1);
    CHECK(value("RETURN CASE p WHEN 1 THEN 5 ELSE 6 END;", NONE) == 6);
}

static void
queries_give_what_sql_gives(void)
{
    CHECK(value("SELECT sum(v) INTO a FROM t; RETURN a;", 0) == 40);
    CHECK(value("SELECT count(*) INTO a FROM t; RETURN a;", 0) == 3);
    CHECK(value("SELECT count(v) INTO a FROM t; RETURN a;", 0) == 2);
    CHECK(value("SELECT min(v) INTO a FROM t WHERE k > 9; RETURN a;", 0) ==
          NONE);
    CHECK(value("SELECT v INTO a FROM t ORDER BY k DESC LIMIT 1; RETURN a;",
                0) == 30);
    CHECK(value("SELECT v INTO a FROM t ORDER BY v DESC LIMIT 1; RETURN a;",
                0) == NONE); // NULL is the largest
    CHECK(value("SELECT x.v INTO a FROM t x JOIN t y ON x.k = y.k + 2 "
                "WHERE y.v = 10; RETURN a;",
                0) == 30);
    CHECK(value("SELECT v INTO a FROM t WHERE k = 9; "
                "IF FOUND THEN RETURN 1; END IF; RETURN coalesce(a, -1);",
                0) == -1);
}

static void
loops_and_writes_follow_plpgsql(void)
{
    CHECK(value("FOR r IN SELECT k, v FROM t LOOP a := a + r.k; END LOOP; "
                "RETURN a;",
                0) == 6);
    CHECK(value("FOR i IN 1..4 LOOP CONTINUE WHEN i = 2; a := a + i; "
                "EXIT WHEN i = 3; END LOOP; RETURN a;",
                0) == 4);
    CHECK(value("FOR i IN REVERSE 5..1 BY 2 LOOP a := a * 10 + i; END LOOP; "
                "RETURN a;",
                0) == 531);
    CHECK(value("WHILE a < p LOOP a := a + 3; END LOOP; RETURN a;", 7) == 9);
    CHECK(value("UPDATE t SET v = v + 1 WHERE k = 1 RETURNING v INTO a; "
                "RETURN a;",
                0) == 11);
    CHECK(value("DELETE FROM t WHERE v = 30; SELECT count(*) INTO a FROM t; "
                "RETURN a;",
                0) == 2);
    CHECK(value("INSERT INTO t VALUES (1, 5) ON CONFLICT (k) DO UPDATE "
                "SET v = t.v + excluded.v; SELECT v INTO a FROM t WHERE k = 1; "
                "RETURN a;",
                0) == 15);
    CHECK(value("INSERT INTO t SELECT k + 10, v FROM t WHERE v > 5; "
                "SELECT sum(k) INTO a FROM t; RETURN a;",
                0) == 30);
    CHECK(value("CASE p WHEN 1, 2 THEN a := 5; ELSE a := 6; END CASE; "
                "RETURN a;",
                2) == 5);
}

static void
mistakes_of_the_data_abort(void)
{
    static const char *const bodies[] = {
        "UPDATE t SET v = v - 11 WHERE k = 1; RETURN 1;",
        "INSERT INTO t VALUES (1, 1); RETURN 1;",
        "a := 1 / p; RETURN a;",
        "SELECT v INTO STRICT a FROM t WHERE k = 9; RETURN a;",
        "RAISE EXCEPTION 'no'; RETURN 1;",
        "INSERT INTO t VALUES (NULL, 1); RETURN 1;",
        "CASE p WHEN 5 THEN a := 1; END CASE; RETURN a;",
        ("INSERT INTO t VALUES (5, 1), (5, 2) ON CONFLICT (k) DO UPDATE "
         "SET v = excluded.v; RETURN 1;"),
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 T "CREATE FUNCTION f(p int) RETURNS int LANGUAGE plpgsql AS "
                   "$$\nDECLARE a int := 0;\nBEGIN\n%s\nEND $$;\n",
                 bodies[i]);
        load(text);
        ROW(0, 1, 10);
        result_of(CALL(0, "f", 0), RUN_ABORTS);
        unload();
    }
}

/* PostgreSQL checks UNIQUE row by row, in an order that nobody knows. */
static void
a_value_that_passes_from_row_to_row_is_uncertain(void)
{
    load("CREATE TABLE t (k int PRIMARY KEY, v int UNIQUE);\n"
         "CREATE FUNCTION f(p int) RETURNS int LANGUAGE plpgsql AS $$\n"
         "BEGIN\nUPDATE t SET v = v + p;\nRETURN 1;\nEND $$;\n");
    ROW(0, 1, 1);
    ROW(0, 2, 2);
    result_of(CALL(0, "f", 1), RUN_UNCERTAIN);
    result_of(CALL(0, "f", 2), RUN_COMMITS);
    unload();
}

#define BANK                                                                   \
    "CREATE TABLE t (k int PRIMARY KEY, v int);\n"                             \
    "CREATE FUNCTION add(p int) RETURNS void LANGUAGE plpgsql AS $$\n"         \
    "DECLARE a int;\nBEGIN\nSELECT v INTO a FROM t WHERE k = p;\n"             \
    "UPDATE t SET v = a + 1 WHERE k = p;\nEND $$;\n"                           \
    "CREATE FUNCTION copy(p int, q int) RETURNS void LANGUAGE plpgsql AS $$\n" \
    "DECLARE a int;\nBEGIN\nSELECT v INTO a FROM t WHERE k = p;\n"             \
    "UPDATE t SET v = a WHERE k = q;\nEND $$;\n"                               \
    "CREATE FUNCTION bump(p int) RETURNS void LANGUAGE sql AS\n"               \
    "'UPDATE t SET v = v + 1 WHERE v = p';\n"

/* Whether two members that do not see each other may be an anomaly. */
static bool
is_anomaly(struct instance a, struct instance b, enum level level)
{
    const struct instance members[] = {a, b};
    struct interleaving e;
    uint32_t order[INTERLEAVING_MOST];
    interleaving_init(&e, &p, &initial, members, 2);
    const struct level_choice levels = {.common = level};
    const bool bad = interleaving_run(&e, &levels) &&
                     interleaving_explain(&e, order) == SERIAL_NONE;
    interleaving_free(&e);
    return bad;
}

static bool
is_interrupted_anomaly(struct instance a, struct instance b, uint32_t split,
                       bool waits)
{
    const struct instance members[] = {a, b};
    struct interleaving e;
    uint32_t order[INTERLEAVING_MOST];
    interleaving_init(&e, &p, &initial, members, 2);
    e.split = split;
    e.waits = waits;
    const struct level_choice levels = {.common = LEVEL_RC};
    e.shape = SHAPE_INTERRUPTED;
    const bool bad = interleaving_run(&e, &levels) &&
                     interleaving_explain(&e, order) == SERIAL_NONE;
    interleaving_free(&e);
    return bad;
}

static void
levels_allow_their_anomalies(void)
{
    load(BANK);
    ROW(0, 1, 5);
    ROW(0, 2, 6);
    CHECK(is_anomaly(CALL(0, "add", 1), CALL(1, "add", 1), LEVEL_RA));
    CHECK(is_anomaly(CALL(0, "add", 1), CALL(1, "add", 1), LEVEL_PC));
    CHECK(!is_anomaly(CALL(0, "add", 1), CALL(1, "add", 1), LEVEL_SI));
    CHECK(!is_anomaly(CALL(0, "add", 1), CALL(1, "add", 2), LEVEL_RA));
    CHECK(is_anomaly(CALL(0, "copy", 1, 2), CALL(1, "copy", 2, 1), LEVEL_SI));
    CHECK(!is_anomaly(CALL(0, "copy", 1, 2), CALL(1, "copy", 2, 1), LEVEL_SER));
    unload();
}

static void
read_committed_can_be_interrupted(void)
{
    load(BANK);
    ROW(0, 1, 5);
    ROW(0, 2, 6);
    CHECK(!is_interrupted_anomaly(CALL(0, "add", 1), CALL(1, "add", 1), 0,
                                  false));
    CHECK(
        is_interrupted_anomaly(CALL(0, "add", 1), CALL(1, "add", 1), 1, false));
    // Behind its update it holds the lock.
    CHECK(!is_interrupted_anomaly(CALL(0, "add", 1), CALL(1, "add", 1), 2,
                                  false));
    unload();
}

static void
a_statement_that_waited_skips_rows_that_match_only_now(void)
{
    // The first chose row 2 (value 6); the second made row 1 match, which the
    // first does not see, and row 2 not match.  It changes nothing.
    load("CREATE TABLE t (k int PRIMARY KEY, v int);\n"
         "CREATE FUNCTION bump(p int) RETURNS void LANGUAGE sql AS\n"
         "'UPDATE t SET v = v + 10 WHERE v = p';\n"
         "CREATE FUNCTION all_up() RETURNS void LANGUAGE sql AS\n"
         "'UPDATE t SET v = v + 1';\n");
    ROW(0, 1, 5);
    ROW(0, 2, 6);
    CHECK(is_interrupted_anomaly(CALL(0, "bump", 6), CALL(1, "all_up", 0), 0,
                                 true));
    CHECK(!is_interrupted_anomaly(CALL(0, "bump", 6), CALL(1, "all_up", 0), 0,
                                  false));
    unload();
}

int
main(void)
{
    RUN(nulls_follow_three_valued_logic);
    RUN(queries_give_what_sql_gives);
    RUN(loops_and_writes_follow_plpgsql);
    RUN(mistakes_of_the_data_abort);
    RUN(a_value_that_passes_from_row_to_row_is_uncertain);
    RUN(levels_allow_their_anomalies);
    RUN(read_committed_can_be_interrupted);
    RUN(a_statement_that_waited_skips_rows_that_match_only_now);
    return test_end();
}
