/* test_cycles.c -- proofs of what takes four transactions or more, and forks.
 *
 * Next to each program that is proved stands one that differs a little and has
 * an anomaly, which the search is shown where to find.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "prove/program/read.h"
#include "prove/robust/prove.h"

#define FUNCTION(name, body)                                                   \
    "CREATE FUNCTION " name " RETURNS int LANGUAGE plpgsql AS $$\n"            \
    "DECLARE a int;\nBEGIN\n" body "\nRETURN a;\nEND $$;\n"

/* Who writes row p has read row p + 1: a cycle would have to come back to lower
 * rows past P's own. */
#define LADDER                                                                 \
    "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);\n" FUNCTION(          \
        "f(p int, q int)", "SELECT v INTO a FROM t WHERE k = p + 1;\n"         \
                           "UPDATE t SET v = q WHERE k = p;")

/* Numbers go up by tens, and P holds a row that has p. */
#define TENS                                                                   \
    "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);\n" FUNCTION(          \
        "f(p int)", "UPDATE t SET v = v + 10 WHERE v = p;")

/* Three that write one column after the other; X writes what P has read, and Y
 * reads what P will write. */
#define STAGES                                                                 \
    "CREATE TABLE s (k int PRIMARY KEY, n int NOT NULL);\n"                    \
    "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);\n" FUNCTION(          \
        "p()", "SELECT v INTO a FROM t WHERE k = 1;\n"                         \
               "UPDATE t SET v = 1 WHERE k = 2;")                              \
        FUNCTION("x()", "UPDATE s SET n = 1 WHERE k = 1 AND n = 0;\n"          \
                        "UPDATE t SET v = 1 WHERE k = 1;")                     \
            FUNCTION("z()", "UPDATE s SET n = 2 WHERE k = 1 AND n = 1;")

#define FORK                                                                   \
    "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);\n" FUNCTION(          \
        "put(p int)", "UPDATE t SET v = v + 1 WHERE k = p;\n"                  \
                      "IF NOT FOUND THEN RAISE EXCEPTION 'none'; END IF;")

static void
expect(const char *text, enum level level, const char *sequence,
       enum prove_verdict verdict)
{
    struct program p = {0};
    struct err err = {0};
    struct prove_result r = {0};
    const struct level_choice levels = {.common = level};
    const struct search_limits limits = {
        .members = 2, .slots = 3, .seconds = 20};
    CHECK(program_read_text(&p, "cycles.sql", text, &err));
    CHECK(sequence ? prove_sequence(&p, &levels, sequence, &limits, &r, &err)
                   : prove_level(&p, &levels, &limits, &r, &err));
    CHECK(r.verdict == verdict);
    prove_free(&r);
    program_free(&p);
}

static void
arguments_are_followed_along_a_cycle(void)
{
    static const char with_g[] = LADDER FUNCTION(
        "g(p int, q int)", "SELECT v INTO a FROM t WHERE k = p + 2;\n"
                           "UPDATE t SET v = q WHERE k = p;");
    expect(LADDER, LEVEL_SI, NULL, PROVE_PROVED);
    expect(with_g, LEVEL_SI, NULL, PROVE_UNKNOWN);
    expect(with_g, LEVEL_SI, "f,g,f,f", PROVE_ANOMALY);
    expect(TENS, LEVEL_SI, NULL, PROVE_PROVED);
    expect(TENS FUNCTION("g(p int)", "UPDATE t SET v = v + 20 WHERE v = p;"),
           LEVEL_SI, NULL, PROVE_UNKNOWN);
}

static void
writers_in_between_are_not_forgotten(void)
{
    static const char complete[] =
        STAGES FUNCTION("y()", "UPDATE s SET n = 3 WHERE k = 1 AND n = 2;\n"
                               "IF NOT FOUND THEN RETURN NULL; END IF;\n"
                               "SELECT v INTO a FROM t WHERE k = 2;");
    static const char never[] =
        STAGES FUNCTION("y()", "UPDATE s SET n = 9 WHERE k = 1 AND n = 8;\n"
                               "IF NOT FOUND THEN RETURN NULL; END IF;\n"
                               "SELECT v INTO a FROM t WHERE k = 2;");
    expect(complete, LEVEL_SI, NULL, PROVE_UNKNOWN);
    expect(complete, LEVEL_SI, "x,z,y,p", PROVE_ANOMALY);
    expect(never, LEVEL_SI, "x,z,y,p", PROVE_UNKNOWN);
}

/* set_b fails unless set_a was there before, because of the CHECK. */
static void
a_check_reads_the_other_columns(void)
{
    static const char text[] =
        "CREATE TABLE t (k int PRIMARY KEY, a int NOT NULL, b int NOT NULL,\n"
        "    CHECK (a = 1 OR b = 0));\n"
        "CREATE TABLE u (k int PRIMARY KEY, v int NOT NULL);\n" FUNCTION(
            "p()", "SELECT t.a INTO a FROM t WHERE k = 1;\n"
                   "UPDATE u SET v = 1 WHERE k = 1;")
            FUNCTION("set_a()", "UPDATE t SET a = 1 WHERE k = 1;")
                FUNCTION("set_b()", "UPDATE t SET b = 1 WHERE k = 1;")
                    FUNCTION("look()",
                             "SELECT count(*) INTO a FROM t\n"
                             "    WHERE t.a = 1 AND b = 1;\n"
                             "SELECT a * 10 + v INTO a FROM u WHERE k = 1;");
    expect(text, LEVEL_SI, NULL, PROVE_UNKNOWN);
    expect(text, LEVEL_SI, "set_a,set_b,look,p", PROVE_ANOMALY);
}

static void
parallel_snapshots_are_proved_where_nothing_forks(void)
{
    static const char one_row[] =
        FORK FUNCTION("get(p int)", "SELECT v INTO a FROM t WHERE k = p;");
    static const char two_rows[] = FORK FUNCTION(
        "get(p int, q int)", "SELECT v INTO a FROM t WHERE k = p;\n"
                             "SELECT a + v INTO a FROM t WHERE k = q;");
    expect(one_row, LEVEL_PSI, NULL, PROVE_PROVED);
    expect(two_rows, LEVEL_SI, NULL, PROVE_PROVED);
    expect(two_rows, LEVEL_PSI, NULL, PROVE_UNKNOWN);
    expect(two_rows, LEVEL_PSI, "put,put,get,get", PROVE_ANOMALY);
}

int
main(void)
{
    RUN(arguments_are_followed_along_a_cycle);
    RUN(writers_in_between_are_not_forgotten);
    RUN(a_check_reads_the_other_columns);
    RUN(parallel_snapshots_are_proved_where_nothing_forks);
    return test_end();
}
