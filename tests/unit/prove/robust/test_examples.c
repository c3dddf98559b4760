/* test_examples.c -- what is known of the programs in examples/programs.
 *
 *     test_prove_robust_examples [all]
 *
 * 'all' adds what takes longer.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "prove/program/read.h"
#include "prove/robust/anomaly/story.h"
#include "prove/robust/prove.h"

#include <stdlib.h>

/* What a program is at si and at rc; an anomaly with so many transactions. */
struct fact {
    const char *name;
    enum prove_verdict si;
    uint32_t si_members;
    enum prove_verdict rc;
    uint32_t rc_members;
};

// clang-format off
static const struct fact facts[] = {
    {"bank", PROVE_PROVED, 0, PROVE_ANOMALY, 2},
    {"bank_skew", PROVE_ANOMALY, 2, PROVE_ANOMALY, 2},
    {"transfer", PROVE_PROVED, 0, PROVE_ANOMALY, 2},
    {"smallbank", PROVE_ANOMALY, 3, PROVE_ANOMALY, 2},
    {"smallbank_locked", PROVE_PROVED, 0, PROVE_ANOMALY, 2},
    {"smallbank_updates", PROVE_ANOMALY, 3, PROVE_ANOMALY, 2},
    {"voter", PROVE_ANOMALY, 2, PROVE_ANOMALY, 2},
    {"twitter", PROVE_PROVED, 0, PROVE_PROVED, 0},
    {"courseware", PROVE_ANOMALY, 2, PROVE_ANOMALY, 2},
    {"rubis", PROVE_ANOMALY, 2, PROVE_ANOMALY, 2},
    {"wikipedia", PROVE_PROVED, 0, PROVE_ANOMALY, 2},
    {"tpcc", PROVE_PROVED, 0, PROVE_ANOMALY, 2},
    {"tpcc_updates", PROVE_PROVED, 0, PROVE_PROVED, 0},
    {"blocked_update", PROVE_PROVED, 0, PROVE_ANOMALY, 2},
    {"close_month", PROVE_ANOMALY, 2, PROVE_ANOMALY, 2},
    {"increment", PROVE_PROVED, 0, PROVE_PROVED, 0},
    {"job_queue", PROVE_PROVED, 0, PROVE_ANOMALY, 2},
    {"on_call", PROVE_ANOMALY, 2, PROVE_ANOMALY, 2},
    {"orphans", PROVE_ANOMALY, 2, PROVE_ANOMALY, 2},
    {"orphans_referenced", PROVE_PROVED, 0, PROVE_PROVED, 0},
    {"set_value", PROVE_PROVED, 0, PROVE_PROVED, 0},
    {"transfer_locked", PROVE_PROVED, 0, PROVE_PROVED, 0},
    {"user_names", PROVE_ANOMALY, 2, PROVE_ANOMALY, 2},
    {"user_names_unique", PROVE_PROVED, 0, PROVE_PROVED, 0},
    {"counts", PROVE_PROVED, 0, PROVE_PROVED, 0},
    {"early_return", PROVE_PROVED, 0, PROVE_PROVED, 0},
    {"nulls", PROVE_PROVED, 0, PROVE_ANOMALY, 2},
    {"payday", PROVE_PROVED, 0, PROVE_ANOMALY, 2},
    {"refuse_raise", PROVE_PROVED, 0, PROVE_PROVED, 0},
    {"refuse_return", PROVE_ANOMALY, 2, PROVE_ANOMALY, 2},
    {"replace_row", PROVE_PROVED, 0, PROVE_PROVED, 0},
    {"tickets", PROVE_ANOMALY, 2, PROVE_ANOMALY, 2},
    {"upsert", PROVE_PROVED, 0, PROVE_PROVED, 0},
};
// clang-format on

static const struct level_choice at_si = {.common = LEVEL_SI};

static bool
read_example(const char *name, struct program *p)
{
    const char *root = getenv("SOURCE_ROOT");
    static char path[1000]; // the program keeps it
    struct err err = {0};
    snprintf(path, sizeof path, "%s/examples/programs/%s.sql",
             root ? root : ".", name);
    return program_read(p, (const char *const[]){path}, 1, &err);
}

static void
expect(const char *name, enum level level, enum prove_verdict verdict,
       uint32_t members)
{
    struct program p = {0};
    struct err err = {0};
    struct prove_result r;
    const struct search_limits limits = {
        .members = 3, .slots = 2, .seconds = 60};
    CHECK(read_example(name, &p));
    CHECK(prove_level(&p, &(struct level_choice){.common = level}, &limits, &r,
                      &err));
    printf("# %s at %s: %.2f s\n", name, level_table[level].brief, r.seconds);
    CHECK(r.verdict == verdict);
    CHECK(r.verdict != PROVE_ANOMALY || r.finding.n == members);
    CHECK(r.finding.mismatches == 0);
    prove_free(&r);
    program_free(&p);
}

static void
examples_are_what_is_known_of_them_at_snapshot_isolation(void)
{
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        expect(facts[i].name, LEVEL_SI, facts[i].si, facts[i].si_members);
}

static void
examples_are_what_is_known_of_them_at_read_committed(void)
{
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        expect(facts[i].name, LEVEL_RC, facts[i].rc, facts[i].rc_members);
}

static void
weaker_levels_are_what_is_known_of_them(void)
{
    expect("bank", LEVEL_RA, PROVE_ANOMALY, 2);
    expect("bank", LEVEL_CC, PROVE_ANOMALY, 2);
    expect("bank", LEVEL_PC, PROVE_ANOMALY, 2);
    expect("bank", LEVEL_PSI, PROVE_PROVED, 0);
    expect("transfer", LEVEL_PSI, PROVE_PROVED, 0);
    expect("increment", LEVEL_PSI, PROVE_PROVED, 0);
    expect("user_names_unique", LEVEL_PSI, PROVE_PROVED, 0);
    expect("set_value", LEVEL_PSI, PROVE_PROVED, 0);
    expect("voter", LEVEL_PSI, PROVE_ANOMALY, 2);
    expect("twitter", LEVEL_PC, PROVE_PROVED, 0);
    expect("voter", LEVEL_SER, PROVE_PROVED, 0);
}

static void
innodb_loses_updates_and_not_increments(void)
{
    static const char *const programs[] = {"bank", "transfer", "increment"};
    const struct level_choice innodb = {.common = LEVEL_PC, .innodb = true};
    const struct search_limits limits = {
        .members = 2, .slots = 2, .seconds = 60};
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct program p = {0};
        struct err err = {0};
        struct prove_result r;
        CHECK(read_example(programs[i], &p));
        CHECK(prove_level(&p, &innodb, &limits, &r, &err));
        CHECK(r.verdict == (i < 2 ? PROVE_ANOMALY : PROVE_UNKNOWN));
        CHECK(r.finding.unconfirmed == 0);
        prove_free(&r);
        program_free(&p);
    }
}

/* One enrolment sees the new student only, the other the new course only; not
 * where enrolments run at si. */
static void
enrolments_at_psi_see_a_long_fork(void)
{
    static const char *const pairs[][2] = {{"add_course", "add_course"},
                                           {"add_student", "add_student"},
                                           {"enrol", "remove_course"},
                                           {"enrol", "remove_student"}};
    struct program p = {0};
    struct err err = {0};
    struct prove_result r;
    struct level_choice levels = {.common = LEVEL_PSI};
    const struct search_limits limits = {
        .members = 4, .slots = 2, .seconds = 10};
    CHECK(read_example("courseware", &p));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        isolation_pair(&levels, &p, program_find_function(&p, pairs[i][0]),
                       program_find_function(&p, pairs[i][1]));
    CHECK(prove_sequence(&p, &levels, "add_student,add_course,enrol,enrol",
                         &limits, &r, &err));
    CHECK(r.verdict == PROVE_ANOMALY && r.finding.n == 4);
    prove_free(&r);
    isolation_set(&levels, &p, program_find_function(&p, "enrol"), LEVEL_SI);
    CHECK(prove_level(&p, &levels, &limits, &r, &err));
    CHECK(r.verdict == PROVE_PROVED);
    prove_free(&r);
    isolation_free(&levels);
    program_free(&p);
}

/* A status sees the order and not the payment, another the payment and not the
 * order: both write the row of the district, in different columns. */
static void
an_order_and_a_payment_fork_where_columns_conflict(void)
{
    static const char text[] = "vis(a, b) and vis(b, c) => vis(a, c)\n"
                               "ww(a, b) and ar(a, b) => vis(a, b)\n";
    static const char sequence[] = "make_order,payment,order_status,"
                                   "order_status";
    struct program p = {0};
    struct err err = {0};
    struct prove_result r;
    struct axioms axioms;
    const struct level_choice rows = {.common = LEVEL_PSI};
    const struct level_choice columns = {
        .common = LEVEL_RA, .own = &axioms, .name = "columns"};
    const struct search_limits limits = {
        .members = 4, .slots = 2, .seconds = 60};
    CHECK(axioms_parse(text, sizeof text - 1, &axioms, &err));
    CHECK(read_example("tpcc", &p));
    CHECK(prove_sequence(&p, &columns, sequence, &limits, &r, &err));
    CHECK(r.verdict == PROVE_ANOMALY && r.finding.mismatches == 0);
    prove_free(&r);
    CHECK(prove_sequence(&p, &rows, sequence, &limits, &r, &err));
    CHECK(r.verdict == PROVE_UNKNOWN && !r.finding.gave_up);
    prove_free(&r);
    axioms_free(&axioms);
    program_free(&p);
}

static void
a_delivery_to_several_districts_is_not_serializable(void)
{
    struct program p = {0};
    struct err err = {0};
    struct prove_result r;
    const struct search_limits limits = {
        .members = 4, .slots = 3, .seconds = 200};
    CHECK(read_example("tpcc_multi", &p));
    CHECK(prove_sequence(&p, &at_si,
                         "make_order,make_order,order_status,delivery", &limits,
                         &r, &err));
    CHECK(r.verdict == PROVE_ANOMALY);
    printf("# tpcc_multi at si: %.2f s\n", r.seconds);
    prove_free(&r);
    CHECK(!prove_sequence(&p, &at_si, "make_order,deliver", &limits, &r, &err));
    CHECK_TEXT(err.text, "'deliver' is no function of the program");
    prove_free(&r);
    program_free(&p);
}

/* The same without being told where to look: takes half a minute. */
static void
the_delivery_is_found_among_all_sequences(void)
{
    struct program p = {0};
    struct err err = {0};
    struct prove_result r;
    const struct search_limits limits = {
        .members = 3, .chained = 4, .slots = 3, .seconds = 20};
    CHECK(read_example("tpcc_multi", &p));
    CHECK(prove_level(&p, &at_si, &limits, &r, &err));
    CHECK(r.verdict == PROVE_ANOMALY && r.finding.n == 4);
    prove_free(&r);
    program_free(&p);
}

static bool
contains(const struct buf *b, const char *text)
{
    return b->n && strstr(b->at, text);
}

static void
an_anomaly_is_told_with_its_lines_and_can_be_played(void)
{
    struct program p = {0};
    struct err err = {0};
    struct prove_result r;
    struct story story;
    struct buf text = {0}, json = {0}, script = {0};
    const struct search_limits limits = {
        .members = 2, .slots = 2, .seconds = 60};
    CHECK(read_example("bank_skew", &p));
    CHECK(prove_level(&p, &at_si, &limits, &r, &err));
    CHECK(r.verdict == PROVE_ANOMALY);
    if (r.verdict == PROVE_ANOMALY) {
        story_init(&story, &r.finding);
        story_text(&story, &text);
        story_json(&story, &json);
        story_script(&story, &script);
        CHECK(story.edges.n >= 2 && story.orders.n == 2);
        CHECK(contains(&text, "line 13: SELECT balance FROM account"));
        CHECK(contains(&text, "No serial order gives this"));
        CHECK(contains(&json, "\"edge\":\"rw\",\"read_line\":14,"));
        CHECK(contains(&script, "BEGIN ISOLATION LEVEL REPEATABLE READ; "
                                "SELECT 1;"));
        CHECK(contains(&script, "\npermutation s1 "));
        story_free(&story);
    }
    buf_free(&text);
    buf_free(&json);
    buf_free(&script);
    prove_free(&r);
    program_free(&p);
}

#define COUNTER(check)                                                         \
    "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL);\n"                    \
    "-- assay: invariant t x check " check "\n"                                \
    "CREATE FUNCTION add(p int) RETURNS void LANGUAGE sql AS\n"                \
    "'UPDATE t SET v = v + 1 WHERE k = p';\n"

static void
an_invariant_that_is_not_kept_is_an_error(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {COUNTER("x.v >= 0"), ""},
        {COUNTER("x.v < 10"), "t.sql:2: the invariant is not kept by add, or "
                              "that cannot be shown"},
    };
    for (size_t i = 0; i < 2; i++) {
        struct program p = {0};
        struct err err = {0};
        struct prove_result r = {0};
        char message[1024] = "";
        const struct search_limits limits = {
            .members = 2, .slots = 2, .seconds = 60};
        CHECK(program_read_text(&p, "t.sql", cases[i].text, &err));
        if (!prove_level(&p, &at_si, &limits, &r, &err))
            err_format(&err, message, sizeof message);
        CHECK_TEXT(message, cases[i].message);
        prove_free(&r);
        program_free(&p);
    }
}

int
main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        RUN(the_delivery_is_found_among_all_sequences);
    RUN(examples_are_what_is_known_of_them_at_snapshot_isolation);
    RUN(examples_are_what_is_known_of_them_at_read_committed);
    RUN(weaker_levels_are_what_is_known_of_them);
    RUN(an_anomaly_is_told_with_its_lines_and_can_be_played);
    RUN(innodb_loses_updates_and_not_increments);
    RUN(enrolments_at_psi_see_a_long_fork);
    RUN(an_order_and_a_payment_fork_where_columns_conflict);
    RUN(a_delivery_to_several_districts_is_not_serializable);
    RUN(an_invariant_that_is_not_kept_is_an_error);
    return test_end();
}
