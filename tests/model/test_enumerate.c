/* test_enumerate.c -- all small histories against the oracle.
 *
 *     test_enumerate [COUNT [SEED]]
 *
 * Every history of up to four operations, and of up to three with times, has
 * the verdicts of the oracle at every level.  So nothing this small is decided
 * wrongly.  And none is missing: where a random history of that size satisfies
 * one level and violates another, an enumerated one that is not larger does.
 *
 * SPDX-License-Identifier: MIT */
#include "gen/enumerate.h"

#include "oracle.h"
#include "random_history.h"
#include "range.h"
#include "test.h"

#include "check/check.h"

enum { OPS = 4, TIMED_OPS = 3 };

static uint64_t first_seed = 1;
static uint64_t histories = 20000;

/* Whether a history of that many operations satisfies the first level and
 * violates the second, without and with times. */
static bool separated[2][OPS + 1][LEVELS][LEVELS];
static uint64_t made, wrong;

static bool
is_timed(enum level l)
{
    return level_table[l].needs_times;
}

static enum verdict
verdict_at(const struct history *h, enum level l)
{
    const struct check_options options = {.levels = level_bit(l),
                                          .threads = 1,
                                          .verify = true,
                                          .most_flaws = 1,
                                          .strong = strong_defaults};
    struct check check;
    struct err err = {0};
    const bool ok = check_history(h, &options, &check, &err);
    const enum verdict v = ok ? check_worst(&check) : VERDICT_UNKNOWN;
    check_free(&check);
    return v;
}

/* Note which pairs of levels these answers separate. */
static void
note(const enum oracle_answer answers[LEVELS], bool times, uint32_t ops)
{
    for (int a = 0; a < LEVELS; a++)
        for (int b = 0; b < LEVELS; b++)
            separated[times][ops][a][b] |=
                answers[a] == ORACLE_OK && answers[b] == ORACLE_VIOLATED;
}

static bool
compare(void *self, const struct history *h)
{
    const bool times = h->txn_began;
    enum oracle_answer answers[LEVELS] = {0};
    struct record record;
    (void)self;
    record_take(h, &record);
    made++;
    for (int l = 0; l < LEVELS; l++) {
        if (is_timed((enum level)l) && !times)
            continue;
        answers[l] = oracle(&record, (enum level)l);
        const enum verdict v = verdict_at(h, (enum level)l);
        if (answers[l] == ORACLE_TOO_LONG ||
            (v == VERDICT_OK) != (answers[l] == ORACLE_OK) ||
            (v == VERDICT_VIOLATED) != (answers[l] == ORACLE_VIOLATED)) {
            struct buf text = {0};
            record_show(&record, &text);
            printf("# %s: %s\n", level_table[l].brief, text.at);
            buf_free(&text);
            wrong++;
        }
    }
    note(answers, times, history_ops(h));
    record_free(&record);
    return wrong < 10;
}

static void
every_small_history_has_the_verdicts_of_the_oracle(void)
{
    for (uint32_t n = 1; n <= OPS; n++)
        for (int times = 0; times < 2; times++) {
            const struct enumerate_options options = {.ops = n, .times = times};
            if (n <= (times ? TIMED_OPS : OPS))
                CHECK(enumerate_histories(&options, compare, NULL));
        }
    printf("# %llu histories\n", (unsigned long long)made);
    CHECK(made > 1000 && wrong == 0);
}

/* Whether an enumerated history of at most n operations separates a and b. */
static bool
is_separated(bool times, uint32_t n, int a, int b)
{
    for (uint32_t i = 1; i <= n; i++)
        if (separated[times][i][a][b])
            return true;
    return false;
}

/* What a random history separates; returns how many pairs. */
static unsigned
look_at(const struct record *r, bool times)
{
    const uint32_t n = (uint32_t)r->ops.n;
    enum oracle_answer answers[LEVELS] = {0};
    unsigned pairs = 0;
    for (int l = 0; l < LEVELS; l++)
        if (times || !is_timed((enum level)l))
            answers[l] = oracle(r, (enum level)l);
    for (int a = 0; a < LEVELS; a++)
        for (int b = 0; b < LEVELS; b++)
            if (answers[a] == ORACLE_OK && answers[b] == ORACLE_VIOLATED) {
                pairs++;
                CHECK(is_separated(times, n, a, b));
            }
    return pairs;
}

static void
no_smaller_history_is_missing(void)
{
    unsigned pairs = 0;
    for (uint64_t seed = first_seed; seed < first_seed + histories; seed++) {
        struct random_shape shape = random_tiny_shape(seed, 4);
        struct record record;
        shape.txns = 1 + seed % 4;
        shape.ops = 1 + seed % 2;
        shape.keys = 2;
        shape.times = seed % 3 == 0;
        random_record(&shape, seed, &record);
        const uint32_t most = shape.times ? TIMED_OPS : OPS;
        if (record.ops.n && record.ops.n <= most)
            pairs += look_at(&record, shape.times);
        record_free(&record);
    }
    printf("# %u pairs of levels in random histories\n", pairs);
    CHECK(pairs > histories / 100);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &histories, &first_seed);
    RUN(every_small_history_has_the_verdicts_of_the_oracle);
    RUN(no_smaller_history_is_missing);
    return test_end();
}
