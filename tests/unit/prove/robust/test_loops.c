/* test_loops.c -- proofs of what runs any number of times, and what waits.
 *
 * Half of the programs have an anomaly: those are never proved, also where the
 * search does not find it.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "prove/program/read.h"
#include "prove/robust/prove.h"

#define TABLES                                                                 \
    "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);\n"                    \
    "CREATE TABLE u (k int PRIMARY KEY, v int NOT NULL);\n"
#define FUNCTION(name, parameters, body)                                       \
    "CREATE FUNCTION " name "(" parameters                                     \
    ") RETURNS void LANGUAGE plpgsql AS $$\n"                                  \
    "DECLARE a int; b int; r record;\nBEGIN\n" body "\nEND $$;\n"
#define REFUSE "IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;\n"

struct fact {
    const char *what, *text;
    enum level level;
    enum prove_verdict verdict;
};

static void
expect(const struct fact *f)
{
    struct program p = {0};
    struct err err = {0};
    struct prove_result r = {0};
    const struct level_choice level = {.common = f->level};
    const struct search_limits limits = {
        .members = 2, .slots = 2, .seconds = 20};
    CHECK(program_read_text(&p, "loops.sql", f->text, &err));
    CHECK(prove_level(&p, &level, &limits, &r, &err));
    if (r.verdict != f->verdict)
        printf("# %s: %s\n", f->what, r.reason);
    CHECK(r.verdict == f->verdict);
    CHECK(r.finding.mismatches == 0);
    prove_free(&r);
    program_free(&p);
}

static const struct fact proved[] = {
    {"increments of a range",
     TABLES FUNCTION("f", "p int, q int",
                     "FOR i IN p..q LOOP\n"
                     "  UPDATE t SET v = v + 1 WHERE k = i;\n"
                     "END LOOP;"),
     LEVEL_RC, PROVE_PROVED},
    {"blind writes while there are some",
     TABLES FUNCTION("f", "p int, q int",
                     "WHILE p < q LOOP\n"
                     "  UPDATE t SET v = q WHERE k = p;\n"
                     "  p := p + 1;\n"
                     "END LOOP;"),
     LEVEL_SI, PROVE_PROVED},
    {"a copy that nobody reads",
     "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);\n"
     "CREATE TABLE log (k serial PRIMARY KEY, v int NOT NULL);\n" FUNCTION(
         "f", "", "INSERT INTO log (v) SELECT v FROM t WHERE v > 0;")
         FUNCTION("g", "p int", "UPDATE t SET v = v + 1 WHERE k = p;"),
     LEVEL_RC, PROVE_PROVED},
    {"a copy of rows that never change",
     TABLES FUNCTION("f", "p int",
                     "INSERT INTO u SELECT k, v FROM t WHERE k = p;")
         FUNCTION("g", "p int, q int", "INSERT INTO t VALUES (p, q);"),
     LEVEL_SI, PROVE_PROVED},
    {"a loop behind a lock",
     TABLES FUNCTION("f", "p int",
                     "PERFORM 1 FROM t WHERE k = 1 FOR UPDATE;\n"
                     "FOR r IN SELECT k FROM u LOOP\n"
                     "  UPDATE u SET v = v + p WHERE k = r.k;\n"
                     "END LOOP;\n"
                     "UPDATE t SET v = v + 1 WHERE k = 1;"),
     LEVEL_SI, PROVE_PROVED},
    {"a loop that changes every row it has read",
     TABLES FUNCTION("f", "",
                     "FOR r IN SELECT k, v FROM t LOOP\n"
                     "  UPDATE t SET v = r.v + 1 WHERE k = r.k;\n"
                     "END LOOP;"),
     LEVEL_SI, PROVE_PROVED},
    {"rows that are moved",
     TABLES FUNCTION("f", "p int",
                     "FOR r IN SELECT k, v FROM t WHERE k = p LOOP\n"
                     "  DELETE FROM t WHERE k = r.k;\n"
                     "  INSERT INTO u VALUES (r.k, r.v);\n"
                     "END LOOP;")
         FUNCTION("g", "p int", "INSERT INTO t VALUES (p, 0);"),
     LEVEL_SI, PROVE_PROVED},
};

static const struct fact anomalies[] = {
    {"write skew of two loops",
     TABLES FUNCTION("f", "",
                     "FOR r IN SELECT k FROM t WHERE v > 0 LOOP\n"
                     "  UPDATE u SET v = 0 WHERE k = r.k;\n"
                     "END LOOP;")
         FUNCTION("g", "",
                  "FOR r IN SELECT k FROM u WHERE v > 0 LOOP\n"
                  "  UPDATE t SET v = 0 WHERE k = r.k;\n"
                  "END LOOP;"),
     LEVEL_SI, PROVE_ANOMALY},
    {"a loop that looks and writes elsewhere",
     TABLES FUNCTION("f", "p int",
                     "FOR i IN 1..p LOOP\n"
                     "  DELETE FROM t WHERE k = i AND\n"
                     "    EXISTS (SELECT 1 FROM u WHERE u.k = i);\n"
                     "END LOOP;")
         FUNCTION("g", "p int",
                  "FOR i IN 1..p LOOP\n"
                  "  DELETE FROM u WHERE k = i AND\n"
                  "    EXISTS (SELECT 1 FROM t WHERE t.k = i);\n"
                  "END LOOP;"),
     LEVEL_SI, PROVE_ANOMALY},
    {"a count by a loop",
     TABLES FUNCTION("f", "p int",
                     "a := 0;\n"
                     "FOR r IN SELECT k FROM t WHERE v > 0 LOOP\n"
                     "  a := a + 1;\n"
                     "END LOOP;\n"
                     "IF a > 1 THEN\n"
                     "  UPDATE t SET v = 0 WHERE k = p;\n"
                     "END IF;"),
     LEVEL_SI, PROVE_ANOMALY},
    {"a return out of a loop",
     TABLES FUNCTION("f", "p int",
                     "FOR r IN SELECT k, v FROM t LOOP\n"
                     "  IF r.v > 0 THEN RETURN; END IF;\n"
                     "END LOOP;\n"
                     "INSERT INTO t VALUES (p, 1);"),
     LEVEL_SI, PROVE_ANOMALY},
    {"an endless loop that is left",
     TABLES FUNCTION("f", "p int",
                     "LOOP\n"
                     "  SELECT v INTO a FROM t WHERE k = p;\n"
                     "  EXIT WHEN a IS NULL;\n"
                     "  UPDATE u SET v = v + 1 WHERE k = p;\n"
                     "  p := p + 1;\n"
                     "END LOOP;")
         FUNCTION("g", "p int",
                  "IF EXISTS (SELECT 1 FROM u WHERE k = p AND v = 0) THEN\n"
                  "  DELETE FROM t WHERE k = p;\n"
                  "END IF;"),
     LEVEL_SI, PROVE_ANOMALY},
    {"a row that a loop may take back",
     TABLES FUNCTION("f", "p int",
                     "INSERT INTO t VALUES (p, 1);\n"
                     "FOR r IN SELECT k FROM u LOOP\n"
                     "  DELETE FROM t WHERE k = r.k;\n"
                     "END LOOP;")
         FUNCTION("g", "p int",
                  "IF NOT EXISTS (SELECT 1 FROM t WHERE k = p) THEN\n"
                  "  INSERT INTO u VALUES (p, 0) ON CONFLICT (k) DO NOTHING;\n"
                  "END IF;"),
     LEVEL_SI, PROVE_ANOMALY},
    {"a lost update by a loop",
     TABLES FUNCTION("f", "",
                     "FOR r IN SELECT k, v FROM t LOOP\n"
                     "  UPDATE t SET v = r.v + 1 WHERE k = r.k;\n"
                     "END LOOP;"),
     LEVEL_RC, PROVE_ANOMALY},
    {"a copy that others read, both ways",
     TABLES FUNCTION("f", "",
                     "INSERT INTO t SELECT k, v FROM u\n"
                     "ON CONFLICT (k) DO UPDATE SET v = excluded.v;")
         FUNCTION("g", "",
                  "INSERT INTO u SELECT k, v FROM t\n"
                  "ON CONFLICT (k) DO UPDATE SET v = excluded.v;"),
     LEVEL_SI, PROVE_ANOMALY},
    {"a loop that leaves out one of the rows it has read",
     TABLES FUNCTION("f", "p int",
                     "FOR r IN SELECT k, v FROM t LOOP\n"
                     "  CONTINUE WHEN r.k = p;\n"
                     "  UPDATE t SET v = v + r.v WHERE k = r.k;\n"
                     "  UPDATE t SET v = 0 WHERE k <> p AND v > r.v;\n"
                     "END LOOP;\n"
                     "SELECT sum(v) INTO a FROM t;\n"
                     "UPDATE u SET v = a WHERE k = p;"),
     LEVEL_SI, PROVE_ANOMALY},
    {"a loop that is left before it has changed all rows",
     TABLES FUNCTION("f", "p int, q int",
                     "FOR r IN SELECT k, v FROM t LOOP\n"
                     "  EXIT WHEN r.k > p;\n"
                     "  a := coalesce(a, 0) + r.v;\n"
                     "END LOOP;\n"
                     "UPDATE t SET v = a WHERE k = q;"),
     LEVEL_SI, PROVE_ANOMALY},
};

#define WRITE_BOTH                                                             \
    FUNCTION("g", "p int",                                                     \
             "UPDATE t SET v = v + 1 WHERE k = p;\n" REFUSE                    \
             "UPDATE u SET v = v + 1 WHERE k = 1;")

/* Statements that wait at read committed after they have read.  PostgreSQL has
 * these anomalies; the search does not know them. */
static const struct fact waits[] = {
    {"an INSERT with a query that waits for the row",
     TABLES FUNCTION("f", "p int",
                     "INSERT INTO t VALUES\n"
                     "  (p, (SELECT v FROM u WHERE k = 1))\n"
                     "ON CONFLICT (k) DO UPDATE SET v = excluded.v;")
         WRITE_BOTH,
     LEVEL_RC, PROVE_UNKNOWN},
    {"an INSERT .. SELECT that waits for the row",
     TABLES FUNCTION("f", "p int",
                     "INSERT INTO t SELECT p, v FROM u WHERE k = 1\n"
                     "ON CONFLICT (k) DO UPDATE SET v = excluded.v;")
         WRITE_BOTH,
     LEVEL_RC, PROVE_UNKNOWN},
    {"an INSERT that waits for its second row",
     TABLES FUNCTION("f", "",
                     "INSERT INTO t VALUES (1, 0), (2, 0)\n"
                     "ON CONFLICT (k) DO NOTHING;")
         FUNCTION("g", "",
                  "DELETE FROM t WHERE k = 2;\n" REFUSE
                  "DELETE FROM t WHERE k = 1;\n" REFUSE),
     LEVEL_RC, PROVE_UNKNOWN},
    {"a lock beside a query",
     TABLES FUNCTION("f", "p int",
                     "SELECT v, (SELECT v FROM u WHERE k = 1) INTO a, b\n"
                     "FROM t WHERE k = p FOR UPDATE;") WRITE_BOTH,
     LEVEL_RC, PROVE_UNKNOWN},
    {"a lock of a row that is deleted and inserted again",
     TABLES FUNCTION("f", "p int",
                     "SELECT v INTO a FROM t WHERE k = p FOR UPDATE;\n")
         FUNCTION("g", "p int",
                  "DELETE FROM t WHERE k = p;\n" REFUSE
                  "INSERT INTO t VALUES (p, 7);\n"),
     LEVEL_RC, PROVE_UNKNOWN},
};

static void
loops_without_an_anomaly_are_proved(void)
{
    for (size_t i = 0; i < sizeof proved / sizeof *proved; i++)
        expect(&proved[i]);
}

static void
loops_with_an_anomaly_are_not_proved(void)
{
    for (size_t i = 0; i < sizeof anomalies / sizeof *anomalies; i++)
        expect(&anomalies[i]);
}

static void
statements_that_wait_after_they_have_read_are_not_proved(void)
{
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        expect(&waits[i]);
}

int
main(void)
{
    RUN(loops_without_an_anomaly_are_proved);
    RUN(loops_with_an_anomaly_are_not_proved);
    RUN(statements_that_wait_after_they_have_read_are_not_proved);
    return test_end();
}
