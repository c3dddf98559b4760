/* test_gen.c -- generated histories hold their level, and injected anomalies
 * violate exactly the levels that they should.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "check/check.h"
#include "gen/anomaly.h"
#include "gen/gen.h"

#define ALL                                                                    \
    (level_implied(LEVEL_STRICT_SER) & ~(1u << LEVEL_STRICT_SI) &              \
     ~(1u << LEVEL_STRICT_SER))

static struct gen_shape
small_shape(uint64_t seed)
{
    return (struct gen_shape){.level = LEVEL_SER,
                              .sessions = 5,
                              .transactions = 60,
                              .operations = 4,
                              .keys = 12,
                              .theta = 0.9,
                              .reads = 0.5,
                              .values = 5,
                              .value_theta = 0.5,
                              .lag = 6,
                              .conditions = 3,
                              .seed = seed};
}

/* The levels that the history of that shape violates. */
static level_set
violated_by(const struct gen_shape *shape, level_set levels)
{
    struct history h;
    struct err err = {0};
    struct check c;
    level_set violated = 0;
    if (!gen_history(shape, &h, &err)) {
        printf("# %s\n", err.text);
        return ~0u;
    }
    const struct check_options o = {.levels = levels,
                                    .threads = 1,
                                    .verify = true,
                                    .strong = strong_defaults};
    if (!check_history(&h, &o, &c, &err)) {
        printf("# %s\n", err.text);
        return ~0u;
    }
    for (size_t i = 0; i < c.results.n; i++)
        if (c.results.at[i].certificate.verdict == VERDICT_VIOLATED)
            violated |= 1u << c.results.at[i].level;
    check_free(&c);
    history_free(&h);
    return violated;
}

static void
histories_hold_their_level_and_its_strict_form(void)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct gen_shape shape = small_shape(seed);
        shape.rows = seed >= 40;
        shape.order = (enum gen_order)(seed / 2 % GEN_ORDERS);
        shape.distribution = (enum gen_distribution)(seed % 3);
        shape.duplicates = seed % 2 ? 0.5 : 0;
        const level_set ser =
            ALL | 1u << LEVEL_STRICT_SI | 1u << LEVEL_STRICT_SER;
        CHECK(violated_by(&shape, ser) == 0);
        shape.level = LEVEL_SI;
        CHECK(violated_by(&shape, level_implied(LEVEL_STRICT_SI)) == 0);
        shape.level = LEVEL_PC;
        CHECK(violated_by(&shape, level_implied(LEVEL_PC)) == 0);
    }
}

static void
weaker_levels_are_really_weaker(void)
{
    for (int rows = 0; rows < 2; rows++) {
        level_set si = 0, pc = 0;
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct gen_shape shape = small_shape(seed);
            shape.rows = rows;
            shape.level = LEVEL_SI;
            si |= violated_by(&shape, 1u << LEVEL_SER);
            shape.level = LEVEL_PC;
            pc |= violated_by(&shape, 1u << LEVEL_SI);
        }
        CHECK(si == 1u << LEVEL_SER && pc == 1u << LEVEL_SI);
    }
}

static void
an_anomaly_violates_its_level_and_those_above(void)
{
    for (const struct gen_anomaly *a = gen_anomalies; a->name; a++)
        for (int place = gen_anomaly_needs_rows(a) ? 5 : 0; place < 10;
             place++) {
            struct gen_shape shape = small_shape((uint64_t)place);
            shape.inject = a->name;
            shape.rows = place >= 5;
            shape.at = place % 5 / 4.0;
            shape.order = (enum gen_order)(place % GEN_ORDERS);
            level_set expected = 0;
            for (int l = 0; l <= LEVEL_SER; l++)
                if (level_implied((enum level)l) >> a->level & 1)
                    expected |= 1u << l;
            const level_set got = violated_by(&shape, ALL);
            if (got != expected)
                printf("# %s at %d: violates %x, expected %x\n", a->name, place,
                       got, expected);
            CHECK(got == expected);
        }
}

static void
the_same_seed_makes_the_same_history(void)
{
    for (int rows = 0; rows < 2; rows++) {
        struct history a, b;
        struct err err = {0};
        struct gen_shape shape = small_shape(9);
        shape.rows = rows;
        CHECK(gen_history(&shape, &a, &err) && gen_history(&shape, &b, &err));
        CHECK(a.n_ops == b.n_ops && a.n_values == b.n_values);
        CHECK(memcmp(a.op_key, b.op_key, a.n_ops * sizeof *a.op_key) == 0);
        CHECK(memcmp(a.op_value, b.op_value, a.n_ops * sizeof *a.op_value) ==
              0);
        history_free(&a);
        history_free(&b);
    }
}

/* Neither the order of the input nor that of the ends is one of commits. */
static void
orders_of_ends_and_sessions_are_those(void)
{
    for (int order = GEN_ORDER_END; order < GEN_ORDERS; order++) {
        struct history h;
        struct err err = {0};
        struct gen_shape shape = small_shape(3);
        shape.order = (enum gen_order)order;
        CHECK(gen_history(&shape, &h, &err) && h.txn_began);
        bool by_end = true, by_session = true, overlap = false;
        for (uint32_t i = 1; i < h.n_txns; i++) {
            const txn_id a = h.arrival[i - 1], b = h.arrival[i];
            by_end &= h.txn_ended[a] <= h.txn_ended[b];
            by_session &= a < b;
            overlap |= h.txn_session[a] != h.txn_session[b] &&
                       h.txn_began[b] < h.txn_ended[a];
        }
        CHECK(by_end == (order == GEN_ORDER_END));
        CHECK(by_session == (order == GEN_ORDER_LISTED));
        CHECK(overlap || order == GEN_ORDER_LISTED);
        history_free(&h);
    }
}

static void
impossible_wishes_are_refused(void)
{
    struct history h;
    struct err err = {0}, few = {0}, registers = {0};
    struct gen_shape shape = small_shape(1);
    shape.inject = "nonsense";
    CHECK(!gen_history(&shape, &h, &err) && err.kind == ERR_USAGE);
    shape.inject = "long-fork";
    shape.sessions = 2;
    CHECK(!gen_history(&shape, &h, &few));
    CHECK_TEXT(few.text, "long-fork takes 4 sessions");
    shape.inject = "phantom";
    CHECK(!gen_history(&shape, &h, &registers));
    CHECK_TEXT(registers.text,
               "phantom is an anomaly of queries, which are made with --rows");
}

int
main(void)
{
    RUN(histories_hold_their_level_and_its_strict_form);
    RUN(weaker_levels_are_really_weaker);
    RUN(an_anomaly_violates_its_level_and_those_above);
    RUN(the_same_seed_makes_the_same_history);
    RUN(orders_of_ends_and_sessions_are_those);
    RUN(impossible_wishes_are_refused);
    return test_end();
}
