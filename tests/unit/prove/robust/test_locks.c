/* test_locks.c -- what PostgreSQL blocks or refuses is no anomaly.
 *
 * Each of these was told as an anomaly once.  What is said here of PostgreSQL
 * was tried on a server.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "prove/program/read.h"
#include "prove/robust/proof/proof.h"
#include "prove/robust/prove.h"
#include "prove/robust/symbolic/term.h"

#define PARENT "CREATE TABLE t (k int PRIMARY KEY, v int UNIQUE NOT NULL);\n"
#define CHILD                                                                  \
    "CREATE TABLE u (k int PRIMARY KEY, v int NOT NULL REFERENCES t (k));\n"
#define FUNCTION(name, parameters, body)                                       \
    "CREATE FUNCTION " name "(" parameters                                     \
    ") RETURNS int LANGUAGE plpgsql STRICT AS $$\n"                            \
    "DECLARE a int; b int;\nBEGIN\n" body "\nRETURN a * 10 + b;\nEND $$;\n"

struct question {
    const char *text, *sequence;
    enum level level;
};

static enum prove_verdict
answer(struct question q)
{
    struct program p = {0};
    struct err err = {0};
    struct prove_result r = {0};
    const struct level_choice level = {.common = q.level};
    const struct search_limits limits = {
        .members = 2, .slots = 2, .seconds = 20};
    CHECK(program_read_text(&p, "locks.sql", q.text, &err));
    CHECK(prove_sequence(&p, &level, q.sequence, &limits, &r, &err));
    CHECK(r.finding.mismatches == 0);
    const enum prove_verdict verdict = r.verdict;
    prove_free(&r);
    program_free(&p);
    return verdict;
}

static const char counts_children[] =
    PARENT CHILD FUNCTION("f", "p int",
                          "PERFORM 1 FROM t WHERE k = p FOR UPDATE;\n"
                          "SELECT count(*) INTO a FROM u WHERE v = p;\n"
                          "SELECT count(*) INTO b FROM u WHERE v = p;")
        FUNCTION("g", "p int, q int", "INSERT INTO u VALUES (q, p);")
            FUNCTION("h", "p int",
                     "PERFORM 1 FROM t WHERE k = p FOR SHARE;\n"
                     "SELECT count(*) INTO a FROM u WHERE v = p;\n"
                     "SELECT count(*) INTO b FROM u WHERE v = p;");

static void
a_row_that_is_locked_for_update_gets_no_children(void)
{
    CHECK(answer((struct question){counts_children, "f,g", LEVEL_RC}) !=
          PROVE_ANOMALY);
    CHECK(answer((struct question){counts_children, "h,g", LEVEL_RC}) ==
          PROVE_ANOMALY);
}

static const char moves_parent[] =
    PARENT CHILD FUNCTION("f", "p int, q int",
                          "SELECT v INTO a FROM t WHERE k = p;\n"
                          "INSERT INTO u VALUES (q, p);")
        FUNCTION("g", "p int",
                 "SELECT count(*) INTO a FROM u WHERE v = p;\n"
                 "UPDATE t SET v = v + 1 WHERE k = p;");

static void
a_child_does_not_miss_its_parents_new_unique_values(void)
{
    // The last one is delayed.  A child that is missed is no conflict.
    CHECK(answer((struct question){moves_parent, "g,f", LEVEL_SI}) !=
          PROVE_ANOMALY);
    CHECK(answer((struct question){moves_parent, "f,g", LEVEL_SI}) ==
          PROVE_ANOMALY);
}

static const char twice[] =
    PARENT FUNCTION("f", "p int, q int",
                    "SELECT count(*) INTO a FROM t;\n"
                    "INSERT INTO t VALUES (p, 1), (q, 2) ON CONFLICT (k)\n"
                    "  DO UPDATE SET v = t.v;\n"
                    "IF p <> q THEN RAISE EXCEPTION 'two'; END IF;");

static void
on_conflict_updates_a_row_once(void)
{
    CHECK(answer((struct question){twice, "f,f", LEVEL_RC}) != PROVE_ANOMALY);
    CHECK(answer((struct question){twice, "f,f", LEVEL_SI}) != PROVE_ANOMALY);
}

static const char locks_only[] =
    "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);\n" FUNCTION(
        "f", "p int",
        "INSERT INTO t VALUES (p, 1) ON CONFLICT (k)\n"
        "  DO UPDATE SET v = 0 WHERE t.v > 100;\n"
        "SELECT v INTO a FROM t WHERE k = p;\n"
        "SELECT v INTO b FROM t WHERE k = p;")
        FUNCTION("g", "p int", "UPDATE t SET v = 5 WHERE k = p;");

static void
on_conflict_locks_a_row_that_it_leaves_alone(void)
{
    CHECK(answer((struct question){locks_only, "f,g", LEVEL_RC}) !=
          PROVE_ANOMALY);
}

/* g sees that f took the last child away, and f's other write it misses: a
 * serial order of the two refuses g's delete or shows it that write. */
static const char last_child[] = PARENT CHILD
    "CREATE TABLE w (k int PRIMARY KEY, v int NOT NULL);\n" FUNCTION(
        "f", "p int",
        "DELETE FROM u WHERE k = p;\n"
        "UPDATE w SET v = 1 WHERE k = 1;")
        FUNCTION("g", "p int",
                 "SELECT v INTO a FROM w WHERE k = 1;\n"
                 "DELETE FROM t WHERE k = p;");

static void
a_parent_that_is_deleted_depends_on_its_last_child(void)
{
    struct program p = {0};
    struct err err = {0};
    struct prove_result r = {0};
    const struct level_choice level = {.common = LEVEL_SI};
    const struct search_limits limits = {
        .members = 2, .slots = 2, .seconds = 20};
    CHECK(program_read_text(&p, "locks.sql", last_child, &err));
    CHECK(prove_level(&p, &level, &limits, &r, &err));
    CHECK(r.verdict != PROVE_PROVED);
    prove_free(&r);
    program_free(&p);
}

static void
zero_is_no_answer_of_the_solver_and_no_proof(void)
{
    const struct prove_result r = {0};
    CHECK(r.verdict == PROVE_UNKNOWN);
    CHECK((enum answer)0 == ANSWER_UNKNOWN);
    CHECK((enum proof_end)0 == PROOF_UNABLE);
}

int
main(void)
{
    RUN(zero_is_no_answer_of_the_solver_and_no_proof);
    RUN(a_row_that_is_locked_for_update_gets_no_children);
    RUN(a_child_does_not_miss_its_parents_new_unique_values);
    RUN(a_parent_that_is_deleted_depends_on_its_last_child);
    RUN(on_conflict_updates_a_row_once);
    RUN(on_conflict_locks_a_row_that_it_leaves_alone);
    return test_end();
}
