/* test_strong.c -- anomalies by name at the strong levels, limits, and shapes
 * that would be slow if something were quadratic.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/estimated_order.h"

#include "deciding.h"
#include "gen/gen.h"
#include "hist.h"
#include "history/builder/builder.h"
#include "history/tested.h"
#include "test.h"
#include "verify/verify.h"

#include <stdlib.h>

/* The verdicts at pc, psi, si and ser, one letter per level: 'o' for ok, 'v'
 * for violated, '?' for unknown. */
static void
expect(const char *text, const char *verdicts)
{
    static const enum level levels[] = {LEVEL_PC, LEVEL_PSI, LEVEL_SI,
                                        LEVEL_SER};
    struct history h;
    hist(&h, text);
    char got[5] = "";
    for (int i = 0; i < 4; i++) {
        struct certificate c;
        struct err err = {0};
        decide_level(&h, levels[i], &strong_defaults, NULL, &c, NULL);
        got[i] = "?ov"[c.verdict];
        // Of a history that tests nothing, no level is certified to hold.
        CHECK(verify_certificate(&h, &c, &err) == history_is_tested(&h));
        certificate_free(&c);
    }
    CHECK_TEXT(got, verdicts);
    history_free(&h);
}

static void
empty_and_serial_histories_hold(void)
{
    expect("", "oooo");
    expect("[]", "oooo");
    expect("--- 1 [x:=1] --- 2 [x==1 x:=2] --- 1 [x==2]", "oooo");
}

static void
write_skew_violates_ser_alone(void)
{
    expect("[x==? y==? x:=1] --- [x==? y==? y:=1]", "ooov");
}

static void
lost_update_is_allowed_at_pc_alone(void)
{
    expect("[x==? x:=1] --- [x==? x:=2]", "ovvv");
}

/* Two updates of one version contradict each other before anything is guessed
 * or struck out, so that no record of struck candidates is needed. */
static void
lost_updates_at_psi_need_no_search(void)
{
    static const char *const texts[] = {
        // of the initial version, and of another one
        "[x==? x:=1] --- [x==? x:=2]",
        "[x:=1] --- [x==1 x:=2] --- [x==1 x:=3]",
        // with writers between them
        ("[x:=1 y:=9] --- [y==9 x:=5] --- [x==1 x:=2] --- [y==9 x:=6] --- "
         "[x==1 x:=3]"),
        // beside an ambiguous read
        "[x==? x:=1] --- [x==? x:=2] --- [y:=1] --- [y:=1] --- [y==1]",
    };
    struct strong_options options = strong_defaults;
    options.record_max = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct history h;
        struct certificate c;
        struct ladder_stats stats;
        struct err err = {0};
        hist(&h, texts[i]);
        decide_level(&h, LEVEL_PSI, &options, NULL, &c, &stats);
        CHECK(c.verdict == VERDICT_VIOLATED &&
              verify_certificate(&h, &c, &err));
        CHECK(!stats.strong.search_rounds && !stats.strong.candidates_struck);
        certificate_free(&c);
        history_free(&h);
    }
}

static void
long_fork_is_allowed_at_psi_alone(void)
{
    expect("[x:=1] --- [y:=1] --- [x==1 y==?] --- [x==? y==1]", "vovv");
}

static void
stale_reads_of_the_initial_state_violate_everything(void)
{
    expect("--- 1 [x:=1] [x==?]", "vvvv");
    expect("--- 1 [x:=1] --- 2 [x==1] [x==?]", "vvvv");
}

static void
unrepeatable_reads_violate_everything(void)
{
    expect("[x:=1] --- [x:=2] --- [x==1 x==2]", "vvvv");
}

static void
read_only_anomaly_violates_ser_alone(void)
{
    expect("[x==? y==? x:=1] --- [y==? y:=2] --- [x==? y==2]", "ooov");
}

static void
duplicate_values_leave_a_choice(void)
{
    // Somebody wrote 1 twice, so the second read of it is no stale one.
    expect("--- 1 [x:=1] [x:=2] [x:=1] --- 2 [x==1] [x==2] [x==1]", "oooo");
    expect("--- 1 [x:=1] [x:=2] --- 2 [x==1] [x==2] [x==1]", "vvvv");
    // The initial value written again.
    expect("--- 1 [x:=1] [x:=?] --- 2 [x==1] [x==?]", "oooo");
}

static void
reads_from_either_of_two_need_search(void)
{
    expect("--- 1 [x:=1 y:=1] --- 2 [x:=1 y:=2] --- 3 [x==1 y==2] --- 4 [x==1 "
           "y==1] --- 3 [y==1]",
           "oooo");
}

/* --- limits and size ------------------------------------------------------ */

/* n transactions over 7 sessions; each writes one of 'keys' keys. */
static void
blind_writes(int64_t n, int64_t keys, bool increment, struct history *h)
{
    struct builder *b = builder_new(atom_int(0));
    struct err err = {0};
    for (int64_t i = 0; i < n; i++) {
        txn_id t;
        CHECK(builder_txn(b, builder_session(b, atom_int(i % 7)), &t, &err));
        if (increment)
            CHECK(builder_read(b, t, atom_int(i % keys),
                               atom_int(i < keys ? 0 : i - keys + 1), &err));
        CHECK(builder_write(b, t, atom_int(i % keys), atom_int(i + 1), &err));
    }
    CHECK(builder_finish(b, h, &err));
}

/* Dozens of writers of each value: the order is found near the times that are
 * estimated. */
static void
many_writers_have_an_order_near_the_times(void)
{
    const struct gen_shape shape = {.level = LEVEL_SER,
                                    .sessions = 4,
                                    .transactions = 8192,
                                    .operations = 8,
                                    .keys = 200,
                                    .reads = 0.5,
                                    .duplicates = 1,
                                    .values = 10,
                                    .value_theta = 0.5,
                                    .seed = 1};
    static const enum level at[] = {LEVEL_PC, LEVEL_SI, LEVEL_SER};
    struct history h;
    struct err err = {0};
    CHECK(gen_history(&shape, &h, &err));
    CHECK(estimated_order_applies(&h, &strong_defaults));
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct estimated_order near;
        struct certificate c;
        struct budget all = {.left = UINT64_MAX};
        estimated_order_init(&near, &h, &strong_defaults);
        CHECK(estimated_order_try(&near, at[i], &all, &c));
        CHECK(c.level == at[i] && verify_certificate(&h, &c, &err));
        certificate_free(&c);
        estimated_order_free(&near);
    }
    history_free(&h);
}

/* Thousands of writers of each value: running the history answers, serially or
 * at the level itself, and breaks something where the level is violated. */
static void
one_value_is_run_first(void)
{
    struct gen_shape shape = {.level = LEVEL_SER,
                              .sessions = 4,
                              .transactions = 2048,
                              .operations = 8,
                              .keys = 5,
                              .reads = 0.5,
                              .duplicates = 1,
                              .values = 1,
                              .at = 0.9};
    static const struct {
        const char *inject;
        bool holds[LEVELS];
    } cases[] = {
        {NULL,
         {[LEVEL_PC] = true,
          [LEVEL_PSI] = true,
          [LEVEL_SI] = true,
          [LEVEL_SER] = true}},
        {"write-skew",
         {[LEVEL_PC] = true, [LEVEL_PSI] = true, [LEVEL_SI] = true}},
        {"lost-update", {[LEVEL_PC] = true}},
        {"fractured-read", {false}},
    };
    struct strong_options options = strong_defaults;
    options.without =
        strategy_bit("input-order") | strategy_bit("timed-order") |
        strategy_bit("strict-serial") | strategy_bit("strict-snapshot");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (shape.seed = 1; shape.seed <= 3; shape.seed++) {
            struct history h;
            struct err err = {0};
            shape.inject = cases[i].inject;
            CHECK(gen_history(&shape, &h, &err));
            for (int l = LEVEL_PC; l <= LEVEL_SER; l++) {
                struct certificate c;
                struct ladder_stats stats;
                decide_level(&h, (enum level)l, &options, NULL, &c, &stats);
                const bool holds = cases[i].holds[l];
                CHECK(c.verdict == (holds ? VERDICT_OK : VERDICT_VIOLATED));
                CHECK_TEXT(stats.decided_by[l], holds ? "replay" : "certain");
                CHECK(verify_certificate(&h, &c, &err));
                certificate_free(&c);
            }
            history_free(&h);
        }
}

static void
hot_keys_are_not_quadratic(void)
{
    struct strong_options options = strong_defaults;
    options.without =
        strategy_bit("input-order"); // which would not look at the key at all
    for (int increment = 0; increment < 2; increment++) {
        struct history h;
        blind_writes(30000, 1, increment, &h);
        for (int l = LEVEL_PC; l <= LEVEL_SER; l++) {
            struct certificate c;
            struct err err = {0};
            struct budget some = {.left = 60 * (uint64_t)h.n_ops};
            decide_level(&h, (enum level)l, &options, &some, &c, NULL);
            CHECK(c.verdict == VERDICT_OK);
            CHECK(verify_certificate(&h, &c, &err));
            certificate_free(&c);
        }
        history_free(&h);
    }
}

/* Whether the order of the input answers at a level, and is accepted. */
static bool
is_answered_by_recording(const struct history *h, enum level l)
{
    struct certificate c;
    struct ladder_stats stats;
    struct err err = {0};
    struct strong_options options = strong_defaults;
    options.without = strategy_bit("unique-snapshot"); // might answer, too
    decide_level(h, l, &options, NULL, &c, &stats);
    const bool answered =
        stats.decided_by[l] && !strcmp(stats.decided_by[l], "input-order");
    CHECK(!answered || c.verdict == VERDICT_OK);
    CHECK(verify_certificate(h, &c, &err));
    certificate_free(&c);
    return answered;
}

static void
the_order_of_the_recording_is_tried_first(void)
{
    static const struct {
        const char *text;
        level_set answered;
    } cases[] = {
        // Serial, with values that repeat.
        {"--- 1 [x:=1] --- 2 [x==1 x:=2] --- 1 [x==2 x:=1] --- 2 [x==1 x:=2] "
         "--- 1 [x==2]",
         1u << LEVEL_PC | 1u << LEVEL_PSI | 1u << LEVEL_SI | 1u << LEVEL_SER},
        // Serial, with unique values: no snapshot is looked for.
        {"--- 1 [x:=1] --- 2 [x==1 x:=2] --- 1 [x==2 y:=1] --- 2 [x==2 y==1]",
         1u << LEVEL_PC | 1u << LEVEL_PSI | 1u << LEVEL_SI | 1u << LEVEL_SER},
        // The same up to the last, which has an older snapshot.
        {"--- 1 [x:=1] --- 2 [x==1 x:=2] --- 1 [x==2 y:=1] --- 3 [x==1 y==?]",
         1u << LEVEL_PC | 1u << LEVEL_PSI | 1u << LEVEL_SI},
        // The second reads from an older snapshot, and writes another key.
        {"[x:=1] --- [x==? y:=1] --- [x==1 y==1]",
         1u << LEVEL_PC | 1u << LEVEL_PSI | 1u << LEVEL_SI},
        // Or the same key: a lost update.
        {"[x==? x:=1] --- [x==? x:=2]", 1u << LEVEL_PC},
        // A snapshot has to contain the session.
        {"--- 1 [x:=1] [x==?]", 0},
        // The value comes back, and only the older version serves both reads.
        {"--- 1 [x:=1 y:=1] --- 2 [x:=2] [x:=1 y:=2] --- 3 [x==1 y==1]",
         1u << LEVEL_PC | 1u << LEVEL_PSI | 1u << LEVEL_SI},
        // The reader stands before the writer.
        {"[x==1] --- [x:=1]", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct history h;
        hist(&h, cases[i].text);
        for (int l = LEVEL_PC; l <= LEVEL_SER; l++)
            CHECK(is_answered_by_recording(&h, (enum level)l) ==
                  (cases[i].answered >> l & 1));
        history_free(&h);
    }
}

/* What psi allows and si does not is looked for in the recorded order, too,
 * before anything is searched, and with very many candidates before anything is
 * inferred. */
static void
the_order_of_the_recording_is_tried_at_psi(void)
{
    static const struct {
        const char *text;
        bool answered;
    } cases[] = {
        {"[x:=1] --- [y:=1] --- [x==1 y==?] --- [x==? y==1]",
         true}, // a long fork
        {"[x:=1] --- [x:=2 y:=2] --- [x:=1] --- [y:=1] --- [x==1 y==2] --- "
         "[x==2 y==1]",
         true}, // values repeat
        {"[x:=1] --- [y:=1] --- [x==1 y==? z:=1] --- [z==1 x==? y==1]",
         false}, // the last reader does not see a write that z==1 saw
        {"[x==1 y==?] --- [x:=1] --- [y:=1] --- [x==? y==1]",
         false}, // a reader before the writer
    };
    struct strong_options options = strong_defaults;
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        struct history h;
        struct certificate c;
        struct ladder_stats stats;
        struct err err = {0};
        hist(&h, cases[i / 2].text);
        options.record_max = i % 2 ? strong_defaults.record_max : 0;
        decide_level(&h, LEVEL_PSI, &options, NULL, &c, &stats);
        const bool answered = c.verdict == VERDICT_OK && stats.strong.points &&
                              !stats.strong.search_rounds &&
                              (i % 2 || !stats.strong.saturation_rounds);
        CHECK(answered == cases[i / 2].answered);
        CHECK(verify_certificate(&h, &c, &err));
        certificate_free(&c);
        history_free(&h);
    }
}

static void
a_spent_budget_makes_the_answer_unknown(void)
{
    struct history h;
    blind_writes(10000, 10, true, &h);
    struct budget spent = {0};
    struct certificate c;
    decide_level(&h, LEVEL_SER, &strong_defaults, &spent, &c, NULL);
    CHECK(c.verdict == VERDICT_UNKNOWN && c.kind == EVIDENCE_NONE);
    certificate_free(&c);
    history_free(&h);
}

int
main(void)
{
    RUN(empty_and_serial_histories_hold);
    RUN(write_skew_violates_ser_alone);
    RUN(lost_update_is_allowed_at_pc_alone);
    RUN(lost_updates_at_psi_need_no_search);
    RUN(long_fork_is_allowed_at_psi_alone);
    RUN(stale_reads_of_the_initial_state_violate_everything);
    RUN(unrepeatable_reads_violate_everything);
    RUN(read_only_anomaly_violates_ser_alone);
    RUN(duplicate_values_leave_a_choice);
    RUN(reads_from_either_of_two_need_search);
    RUN(many_writers_have_an_order_near_the_times);
    RUN(one_value_is_run_first);
    RUN(hot_keys_are_not_quadratic);
    RUN(the_order_of_the_recording_is_tried_first);
    RUN(the_order_of_the_recording_is_tried_at_psi);
    RUN(a_spent_budget_makes_the_answer_unknown);
    return test_end();
}
