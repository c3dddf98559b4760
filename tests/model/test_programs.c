/* test_programs.c -- proofs and searches against brute force.
 *
 *     test_programs [COUNT [SEED]]
 *
 * makes COUNT random SQL programs from SEED on and decides each at every
 * level.  Brute force runs all executions of two transactions over a small
 * domain and of three over a smaller one; at rc statement by statement, with
 * locks and waiting, and as many as there is time for.  Then
 *
 *   - what is proved has no anomaly;
 *   - where the search finds none among two transactions, there is none;
 *   - what is proved has no cycle of dependencies, and an anomaly has one;
 *   - where there is an anomaly at si or pc, there is a cycle of dependencies
 *     with a transaction that is delayed, and at rc with one that is
 *     interrupted: the shapes on which proofs and searches rest.
 *
 * An anomaly that is found needs no test: it has happened.  A failure names
 * its seed, and with a COUNT of 1 the program is printed.
 *
 * SPDX-License-Identifier: MIT */
#include "brute_programs.h"
#include "random_program.h"
#include "range.h"
#include "test.h"

#include "prove/program/read.h"
#include "prove/robust/anomaly/dependency.h"
#include "prove/robust/prove.h"

#include <string.h>

static uint64_t first_seed = 7;
static uint64_t programs = 5;

static const struct world_domain wide = {2, 3, 0, 2}, narrow = {2, 2, 1, 2};
enum {
    MOST_VISIBLE = 100000,
    MOST_COMMITTED = 3000,
    MOST_SHAPES = 400000,
};

static const enum level levels[] = {LEVEL_RC,  LEVEL_RA, LEVEL_CC,
                                    LEVEL_PSI, LEVEL_PC, LEVEL_SI};
enum { N_LEVELS = sizeof levels / sizeof *levels };

/* Why there is no verdict, by the words of the reason. */
static const char *const reasons[] = {
    "which proofs do not handle", "no proofs for this level",
    "the solver gave up", "is not excluded", ""};
enum { N_REASONS = sizeof reasons / sizeof *reasons };

static struct {
    uint32_t proved, anomalies, open[N_REASONS], open_and_bad, mismatches;
    // Programs whose anomalies have the shape; with a cycle that nobody sees.
    uint32_t shapes, hidden;
    uint32_t again;  // searched with three rows, because two show nothing
    uint32_t inside; // an anomaly of two only inside of a statement
    uint64_t executions;
} seen[LEVELS];

static void
fails(const char *what, uint64_t seed, enum level level)
{
    CHECK(!"brute force agrees");
    printf("# seed %llu, %s: %s\n", (unsigned long long)seed,
           level_table[level].brief, what);
}

/* What brute force finds among two and among three transactions. */
struct truth {
    struct brute_found two, three;
};

static void
find_truth(const struct program *p, struct random *r, struct truth *out,
           uint64_t seed)
{
    struct world w;
    memset(out, 0, sizeof *out);
    world_init(&w, p, &wide);
    brute_visible(&w, 2, MOST_VISIBLE, r, &out->two);
    brute_committed(&w, 2, MOST_COMMITTED, r, false, &out->two);
    world_free(&w);
    world_init(&w, p, &narrow);
    brute_visible(&w, 3, MOST_VISIBLE, r, &out->three);
    for (int i = 0; i < 2; i++) {
        const enum level l = i ? LEVEL_PC : LEVEL_SI;
        if (!out->three.bad[l])
            continue;
        seen[l].shapes++;
        if (out->three.shaped[l] || brute_any_delayed(&w, 3, l, false))
            continue;
        seen[l].hidden++;
        if (!brute_any_delayed(&w, 3, l, true))
            fails("an anomaly, and no cycle with a delayed transaction", seed,
                  l);
    }
    struct brute_found committed = {0};
    brute_committed(&w, 2, MOST_COMMITTED, r, false, &committed);
    brute_committed(&w, 3, MOST_COMMITTED / 10, r, false, &committed);
    seen[LEVEL_RC].shapes += committed.bad[LEVEL_RC] > 0;
    if (committed.bad[LEVEL_RC] &&
        !brute_any_interrupted(&w, 3, MOST_SHAPES, false)) {
        seen[LEVEL_RC].hidden++;
        if (!brute_any_interrupted(&w, 3, MOST_SHAPES, true))
            fails("an anomaly, and no cycle with an interrupted transaction",
                  seed, LEVEL_RC);
    }
    out->three.bad[LEVEL_RC] = committed.bad[LEVEL_RC];
    out->three.executions[LEVEL_RC] = committed.executions[LEVEL_RC];
    world_free(&w);
}

static void
count_unknown(enum level level, const struct prove_result *r, bool bad)
{
    for (uint32_t i = 0; i < N_REASONS; i++)
        if (strstr(r->reason, reasons[i])) {
            seen[level].open[i]++;
            break;
        }
    seen[level].open_and_bad += bad;
}

/* Dependencies on values and those of proofs agree: without a cycle there is no
 * anomaly, and what is proved has no cycle. */
static void
look_for_cycles(const struct program *p, const struct level_choice *levels_of,
                const struct prove_result *r, uint64_t seed)
{
    struct err err = {0};
    struct finding found;
    struct dependency cycle[INTERLEAVING_MOST];
    const enum level level = levels_of->common;
    const struct search_limits limits = {
        .members = 2, .slots = 2, .seconds = 20, .graph = true};
    if (r->verdict == PROVE_ANOMALY && !dependency_cycle(&r->finding, cycle))
        fails("an anomaly without a cycle", seed, level);
    if (r->verdict != PROVE_PROVED)
        return;
    CHECK(search_all(p, levels_of, &limits, &found, &err));
    if (found.kind == FINDING_ANOMALY)
        fails("proved, and there is a cycle", seed, level);
    finding_free(&found);
}

/* Whether two transactions have an anomaly at rc in which no statement is
 * interrupted that the search takes as one step. */
static bool
is_bad_as_a_whole(const struct program *p, uint64_t seed)
{
    struct world w;
    struct random r;
    struct brute_found found = {0};
    random_seed(&r, seed);
    world_init(&w, p, &wide);
    brute_committed(&w, 2, MOST_COMMITTED, &r, true, &found);
    world_free(&w);
    return found.bad[LEVEL_RC] > 0;
}

/* Brute force has three keys a table, the search two rows at first. */
static void
search_again(const struct program *p, const struct level_choice *levels_of,
             uint64_t seed)
{
    struct err err = {0};
    struct finding found;
    const struct search_limits limits = {
        .members = 2, .slots = 3, .seconds = 20};
    CHECK(search_all(p, levels_of, &limits, &found, &err));
    if (found.kind == FINDING_NONE)
        fails("the search missed an anomaly of two", seed, levels_of->common);
    seen[levels_of->common].again++;
    finding_free(&found);
}

static void
look_at(const struct program *p, enum level level, uint64_t seed,
        const struct truth *truth)
{
    struct err err = {0};
    struct prove_result r;
    const struct level_choice levels_of = {.common = level};
    const struct search_limits limits = {
        .members = 2, .slots = 2, .seconds = 20};
    CHECK(prove_level(p, &levels_of, &limits, &r, &err));
    const bool bad2 = truth->two.bad[level], bad3 = truth->three.bad[level];
    if (r.verdict == PROVE_PROVED && (bad2 || bad3))
        fails("proved, and there is an anomaly", seed, level);
    if (r.verdict == PROVE_UNKNOWN && r.finding.kind == FINDING_NONE && bad2) {
        if (level == LEVEL_RC && !is_bad_as_a_whole(p, seed))
            seen[level].inside++;
        else
            search_again(p, &levels_of, seed);
    }
    look_for_cycles(p, &levels_of, &r, seed);
    seen[level].proved += r.verdict == PROVE_PROVED;
    seen[level].anomalies += r.verdict == PROVE_ANOMALY;
    if (r.verdict == PROVE_UNKNOWN)
        count_unknown(level, &r, bad2 || bad3);
    seen[level].mismatches += r.finding.mismatches;
    if (r.finding.unconfirmed)
        fails("an anomaly that 'check' does not see", seed, level);
    seen[level].executions +=
        truth->two.executions[level] + truth->three.executions[level];
    prove_free(&r);
}

static void
show_counts(void)
{
    for (uint32_t i = 0; i < N_LEVELS; i++) {
        const enum level l = levels[i];
        printf("# %s: %u proved, %u with an anomaly;", level_table[l].brief,
               seen[l].proved, seen[l].anomalies);
        for (uint32_t k = 0; k < N_REASONS; k++)
            if (seen[l].open[k])
                printf(" %u unknown (%s)", seen[l].open[k],
                       *reasons[k] ? reasons[k] : "other");
        printf("; %u of the unknown have an anomaly of three; %u models did "
               "not happen; %u searched with three rows; %u have an anomaly "
               "inside of a statement only; %llu executions; %u "
               "anomalies have the shape, %u of them as a cycle that nobody "
               "sees\n",
               seen[l].open_and_bad, seen[l].mismatches, seen[l].again,
               seen[l].inside, (unsigned long long)seen[l].executions,
               seen[l].shapes, seen[l].hidden);
    }
}

static void
judge(const char *text, struct random *r, uint64_t seed)
{
    struct program p = {0};
    struct err err = {0};
    const bool read = program_read_text(&p, "random.sql", text, &err);
    CHECK(read);
    if (!read)
        printf("# seed %llu: line %llu: %s\n", (unsigned long long)seed,
               (unsigned long long)err.line, err.text);
    struct truth truth = {0};
    if (read)
        find_truth(&p, r, &truth, seed);
    for (uint32_t i = 0; read && i < N_LEVELS; i++)
        look_at(&p, levels[i], seed, &truth);
    program_free(&p);
}

static void
proofs_and_searches_agree_with_brute_force(void)
{
    for (uint64_t seed = first_seed; seed < first_seed + programs; seed++) {
        struct random r;
        struct buf text = {0};
        random_seed(&r, seed);
        random_program(&r, &text);
        if (programs == 1)
            printf("%s", text.at);
        judge(text.at, &r, seed);
        buf_free(&text);
        if (programs > 100 && seed % 100 == 0)
            show_counts();
    }
    show_counts();
    // At si the symbols and the interpreter agree on everything; at rc symbols
    // know of fewer locks.
    CHECK(seen[LEVEL_SI].mismatches == 0);
}

#define FUNCTION(body)                                                         \
    "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);\n"                    \
    "CREATE TABLE u (k int PRIMARY KEY, v int NOT NULL);\n"                    \
    "CREATE FUNCTION f(p int, q int) RETURNS int LANGUAGE plpgsql STRICT\n"    \
    "AS $$\nDECLARE a int;\nBEGIN\n" body "  RETURN a;\nEND $$;\n"

/* Programs that were judged wrong once. */
static void
what_was_wrong_once_is_right(void)
{
    static const char *const texts[] = {
        // MAX over a row that the transaction has changed itself.
        FUNCTION("  UPDATE u SET v = 0 WHERE k = p;\n"
                 "  IF p < q THEN\n"
                 "    SELECT max(v) INTO a FROM u WHERE v <> p;\n"
                 "  END IF;\n"),
    };
    struct random r;
    random_seed(&r, 1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        judge(texts[i], &r, 0);
}

#define SECOND(body)                                                           \
    "CREATE FUNCTION g(p int, q int) RETURNS void LANGUAGE plpgsql STRICT\n"   \
    "AS $$\nBEGIN\n" body "END $$;\n"

/* A statement that reads, waits for another transaction, and goes on: nothing
 * else makes these programs unserializable at rc. */
static void
statements_that_wait_are_interrupted(void)
{
    static const char *const texts[] = {
        // The key is free when what was read is old.
        FUNCTION("  INSERT INTO t VALUES (1, (SELECT count(*) FROM t));\n")
            SECOND("  DELETE FROM t WHERE k = 1;\n"),
        // A row that was deleted and inserted again is not found.
        FUNCTION("  UPDATE t SET v = v + 1 WHERE k = p;\n"
                 "  IF FOUND THEN a := 1; END IF;\n")
            SECOND("  DELETE FROM t WHERE k = p;\n"
                   "  INSERT INTO t VALUES (p, q);\n"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct program p = {0};
        struct err err = {0};
        struct prove_result result;
        struct world w;
        struct random r;
        struct brute_found found = {0};
        const struct level_choice at_rc = {.common = LEVEL_RC};
        const struct search_limits limits = {
            .members = 2, .slots = 2, .seconds = 20};
        random_seed(&r, 1);
        CHECK(program_read_text(&p, "waits.sql", texts[i], &err));
        world_init(&w, &p, &narrow);
        brute_committed(&w, 2, UINT64_MAX, &r, true, &found);
        CHECK(found.bad[LEVEL_RC] == 0);
        brute_committed(&w, 2, UINT64_MAX, &r, false, &found);
        CHECK(found.bad[LEVEL_RC] > 0);
        CHECK(brute_any_interrupted(&w, 2, MOST_SHAPES, false));
        world_free(&w);
        CHECK(prove_level(&p, &at_rc, &limits, &result, &err));
        CHECK(result.verdict == PROVE_UNKNOWN);
        prove_free(&result);
        program_free(&p);
    }
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &programs, &first_seed);
    RUN(what_was_wrong_once_is_right);
    RUN(statements_that_wait_are_interrupted);
    RUN(proofs_and_searches_agree_with_brute_force);
    return test_end();
}
