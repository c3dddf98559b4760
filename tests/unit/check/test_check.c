/* test_check.c -- levels that are given up on, and what follows from others.
 *
 * Budgets are counted, so a small one gives up at the same place every time:
 * what a time limit does by chance, these tests do on purpose.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "check/convert.h"
#include "explain/explain.h"
#include "gen/gen.h"
#include "verify/verify.h"

enum { SEEDS = 40, LEVELS_ASKED = 7 };

static const level_set asked =
    1u << LEVEL_RC | 1u << LEVEL_RA | 1u << LEVEL_CC | 1u << LEVEL_PC |
    1u << LEVEL_PSI | 1u << LEVEL_SI | 1u << LEVEL_SER;

static struct gen_shape
shape_of(uint64_t seed)
{
    return (struct gen_shape){.level = seed % 2 ? LEVEL_SI : LEVEL_PC,
                              .sessions = 6,
                              .transactions = 60,
                              .operations = 4,
                              .keys = 6,
                              .reads = 0.5,
                              .duplicates = seed % 3 ? 0.6 : 0,
                              .values = 4,
                              .lag = 10,
                              .seed = seed,
                              .inject = seed % 5 ? NULL : "fractured-read",
                              .at = 0.5};
}

static void
make(uint64_t seed, struct history *h)
{
    const struct gen_shape shape = shape_of(seed);
    struct err err = {0};
    CHECK(gen_history(&shape, h, &err));
}

static void
run(const struct history *h, uint64_t work, struct check *c)
{
    const struct check_options o = {.levels = asked,
                                    .threads = 1,
                                    .work = work,
                                    .verify = true,
                                    .most_flaws = 1,
                                    .strong = strong_defaults};
    struct err err = {0};
    CHECK(check_history(h, &o, c, &err));
    CHECK(c->results.n == LEVELS_ASKED);
}

/* Whether 'from' says something about 'to'. */
static bool
follows(const struct level_result *from, const struct level_result *to)
{
    const enum verdict v = from->certificate.verdict;
    return (v == VERDICT_OK && level_implied(from->level) >> to->level & 1) ||
           (v == VERDICT_VIOLATED &&
            level_implied(to->level) >> from->level & 1);
}

static size_t unknown, follows_only;

static void
compare(const struct history *h, const struct check *c,
        const struct check *whole)
{
    for (size_t i = 0; i < c->results.n; i++) {
        const struct level_result *r = &c->results.at[i];
        const enum verdict v = r->certificate.verdict;
        CHECK(v == VERDICT_UNKNOWN ||
              v == whole->results.at[i].certificate.verdict);
        CHECK(v == VERDICT_UNKNOWN || r->verified);
        for (size_t j = 0; v == VERDICT_UNKNOWN && j < c->results.n; j++)
            CHECK(!follows(&c->results.at[j], r));
        unknown += v == VERDICT_UNKNOWN;
        follows_only += r->by != r->level;
        if (r->by == r->level || v != VERDICT_VIOLATED)
            continue;
        const struct explain_options how = {.most = 1,
                                            .work = BUDGET_SECOND,
                                            .threads = 1,
                                            .strong = strong_defaults};
        struct explanation e;
        struct err err = {0};
        CHECK(explain_result(h, c, r, &how, &e, &err) && e.anomalies.n);
        explanation_free(&e);
    }
}

static void
no_level_is_unknown_that_follows_from_another(void)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct history h;
        struct check whole;
        make(seed, &h);
        run(&h, 0, &whole);
        for (uint64_t work = 1; work < 1 << 20; work *= 2) {
            struct check c;
            run(&h, work, &c);
            compare(&h, &c, &whole);
            check_free(&c);
        }
        check_free(&whole);
        history_free(&h);
    }
    printf("# %zu unknown, %zu that follow from others\n", unknown,
           follows_only);
    CHECK(unknown);
}

/* Convert the certificate of 'from' to every level that it settles. */
static void
convert_all(const struct history *h, const struct check *c,
            const struct level_result *from, size_t made[5][2])
{
    for (size_t i = 0; i < c->results.n; i++) {
        const enum level to = c->results.at[i].level;
        struct certificate own;
        struct err err = {0};
        if (to == from->level || !follows(from, &c->results.at[i]))
            continue;
        const bool ok = convert_certificate(h, &from->certificate, to, &own);
        made[from->certificate.kind][ok]++;
        CHECK(!ok || (own.verdict == from->certificate.verdict &&
                      verify_certificate(h, &own, &err)));
        // Of what weak levels choose, nothing is known to serve strong ones.
        CHECK(ok || (from->certificate.kind == EVIDENCE_PROOF &&
                     from->level < LEVEL_PC));
        certificate_free(&own);
    }
}

static void
evidence_is_made_into_evidence_at_other_levels(void)
{
    static const char *const anomalies[] = {"aborted-read", "fractured-read",
                                            "lost-update",  "long-fork",
                                            "write-skew",   NULL};
    size_t made[5][2] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (size_t i = 0; i < 6; i++) {
            struct gen_shape shape = shape_of(seed);
            struct history h;
            struct check c;
            struct err err = {0};
            shape.inject = anomalies[i];
            CHECK(gen_history(&shape, &h, &err));
            run(&h, 0, &c);
            for (size_t j = 0; j < c.results.n; j++)
                convert_all(&h, &c, &c.results.at[j], made);
            check_free(&c);
            history_free(&h);
        }
    printf("# converted: %zu orders, %zu flaws, %zu cycles, %zu proofs\n",
           made[EVIDENCE_ORDER][1], made[EVIDENCE_FLAW][1],
           made[EVIDENCE_CYCLE][1], made[EVIDENCE_PROOF][1]);
    CHECK(made[EVIDENCE_ORDER][1] && made[EVIDENCE_FLAW][1] &&
          made[EVIDENCE_CYCLE][1] && made[EVIDENCE_PROOF][1]);
}

static void
nothing_is_known_of_what_was_not_read(void)
{
    const struct check_options o = {.levels = asked};
    const struct limit_stop stop = {
        .kind = LIMIT_TIME, .seconds = 0.5, .phase = "reading"};
    struct check c;
    check_nothing(&o, &stop, &c);
    CHECK(c.results.n == LEVELS_ASKED);
    for (size_t i = 0; i < c.results.n; i++) {
        CHECK(c.results.at[i].certificate.verdict == VERDICT_UNKNOWN);
        CHECK_TEXT(c.results.at[i].reason,
                   "the time limit of 0.5 s was reached while reading");
    }
    check_free(&c);
}

/* Dozens of writers of each value, one session after the other in the input,
 * and an anomaly that only some levels forbid: those below it hold by an order
 * that excuses the transactions of the anomaly. */
static void
an_anomaly_among_many_writers_leaves_the_other_levels(void)
{
    static const struct {
        const char *inject;
        level_set violated;
    } cases[] = {
        {NULL, 0},
        {"lost-update", 1u << LEVEL_PSI | 1u << LEVEL_SI | 1u << LEVEL_SER},
        {"long-fork", 1u << LEVEL_PC | 1u << LEVEL_SI | 1u << LEVEL_SER},
        {"causality-violation", 1u << LEVEL_CC | 1u << LEVEL_PC |
                                    1u << LEVEL_PSI | 1u << LEVEL_SI |
                                    1u << LEVEL_SER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gen_shape shape = {.level = LEVEL_SER,
                                        .sessions = 4,
                                        .transactions = 8192,
                                        .operations = 8,
                                        .keys = 200,
                                        .reads = 0.5,
                                        .duplicates = 1,
                                        .values = 10,
                                        .value_theta = 0.5,
                                        .seed = 1,
                                        .inject = cases[i].inject,
                                        .at = 0.5};
        struct history h;
        struct check c;
        struct err err = {0};
        CHECK(gen_history(&shape, &h, &err));
        for (txn_id t = 0; t < h.n_txns; t++)
            h.arrival[t] = t;
        run(&h, 0, &c);
        for (size_t j = 0; j < c.results.n; j++) {
            const struct level_result *r = &c.results.at[j];
            CHECK(r->certificate.verdict == (cases[i].violated >> r->level & 1
                                                 ? VERDICT_VIOLATED
                                                 : VERDICT_OK));
        }
        check_free(&c);
        history_free(&h);
    }
}

/* What one level costs, in steps. */
static uint64_t
work_at(const struct history *h, enum level l)
{
    const struct check_options options = {.levels = 1u << l,
                                          .verify = true,
                                          .threads = 1,
                                          .strong = strong_defaults};
    struct check c;
    struct err err = {0};
    CHECK(check_history(h, &options, &c, &err));
    CHECK(c.results.at[0].certificate.verdict == VERDICT_OK);
    const uint64_t work = c.results.at[0].work;
    check_free(&c);
    return work;
}

static void
few_values_cost_no_more_at_a_weak_level_than_at_ser(void)
{
    static const uint64_t seeds[] = {5, 8};
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        const struct gen_shape shape = {.level = LEVEL_SER,
                                        .sessions = 10,
                                        .transactions = 200,
                                        .operations = 8,
                                        .keys = 5,
                                        .reads = 0.5,
                                        .duplicates = 1,
                                        .values = 5,
                                        .value_theta = 0.5,
                                        .seed = seeds[i]};
        struct history h;
        struct err err = {0};
        CHECK(gen_history(&shape, &h, &err));
        for (txn_id t = 0; t < h.n_txns; t++)
            h.arrival[t] = t;
        const uint64_t most = work_at(&h, LEVEL_SER) / 10 * 12;
        for (enum level l = LEVEL_RC; l < LEVEL_SER; l++)
            CHECK(work_at(&h, l) <= most);
        history_free(&h);
    }
}

int
main(void)
{
    RUN(few_values_cost_no_more_at_a_weak_level_than_at_ser);
    RUN(no_level_is_unknown_that_follows_from_another);
    RUN(evidence_is_made_into_evidence_at_other_levels);
    RUN(nothing_is_known_of_what_was_not_read);
    RUN(an_anomaly_among_many_writers_leaves_the_other_levels);
    return test_end();
}
