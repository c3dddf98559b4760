/* test_overlap.c -- pairs that overlap and conflict, and chances of anomalies.
 *
 * SPDX-License-Identifier: MIT */
#include "hist.h"
#include "test.h"

#include "base/random.h"
#include "history/overlap.h"

enum { WORK = 1000000 };

static struct overlap
count(const char *text)
{
    struct history h;
    struct overlap out;
    hist(&h, text);
    overlap_count(&h, WORK, &out);
    CHECK(!out.is_partial);
    history_free(&h);
    return out;
}

static void
only_overlapping_transactions_are_pairs(void)
{
    const struct overlap apart = count("[x:=1]@1..2 --- [x==1]@3..4");
    CHECK(apart.has_times && apart.pairs == 0 && apart.conflicts == 0);
    const struct overlap together = count("[x:=1]@1..3 --- [x==1]@2..4");
    CHECK(together.pairs == 1 && together.conflicts == 1);
    const struct overlap reads = count("[x==?]@1..3 --- [x==?]@2..4");
    CHECK(reads.pairs == 1 && reads.conflicts == 0);
}

static void
without_times_sessions_may_overlap(void)
{
    const struct overlap p = count("[x:=1] [x:=2] --- [x:=3]");
    CHECK(!p.has_times && p.pairs == 2 && p.conflicts == 2);
}

static void
each_constellation_is_a_chance_of_its_anomaly(void)
{
    CHECK(count("[x==? x:=1] --- [y==? y:=2] --- [x==1 x:=3]")
              .chances[CHANCE_LOST_UPDATE] == 1);
    CHECK(count("[x==? x:=1] --- [x==1 x:=3]").chances[CHANCE_WRITE_SKEW] == 0);
    CHECK(count("[x==? y:=1] --- [y==1 x:=3]").chances[CHANCE_WRITE_SKEW] == 1);
    CHECK(count("[x:=1 y:=1] --- [x==1 y==1]").chances[CHANCE_FRACTURED] == 1);
    CHECK(count("[x:=1] --- [x==1 y==?]").chances[CHANCE_FRACTURED] == 0);
    CHECK(count("[x:=1]! --- [x==?]").chances[CHANCE_ABORTED_READ] == 1);
    CHECK(count("[x==? y:=1] --- [y==? x:=3]!").chances[CHANCE_WRITE_SKEW] ==
          1);
    CHECK(count("[x:=1 x:=2] --- [x==2]").chances[CHANCE_INTERMEDIATE] == 1);
    CHECK(
        count("[x:=1] --- [y:=1] --- [x==1 y==1]").chances[CHANCE_LONG_FORK] ==
        1);
    CHECK(count("[x:=1 y:=1] --- [x==1 y==1]").chances[CHANCE_LONG_FORK] == 0);
    CHECK(count("[x:=1] [x==1] [y==?]").chances[CHANCE_SESSION] == 1);
}

static void
bounded_work_gives_lower_bounds(void)
{
    struct history h;
    struct overlap all, some;
    hist(&h, "[x:=1] --- [x:=2] --- [x:=3] --- [x:=4]");
    overlap_count(&h, WORK, &all);
    overlap_count(&h, 5, &some);
    CHECK(all.pairs == 6 && !all.is_partial);
    CHECK(some.is_partial && some.pairs < all.pairs);
    history_free(&h);
}

/* The sweep against all pairs, on random intervals of one key. */
static void
agrees_with_all_pairs(void)
{
    struct random random;
    random_seed(&random, 7);
    for (int round = 0; round < 200; round++) {
        enum { N = 6 };
        int64_t began[N], ended[N];
        struct buf text = {0};
        uint64_t pairs = 0;
        for (int i = 0; i < N; i++) {
            began[i] = (int64_t)random_below(&random, 20);
            ended[i] = began[i] + (int64_t)random_below(&random, 8);
            buf_printf(&text, "%s[x:=%d]@%d..%d", i ? " --- " : "", i + 1,
                       (int)began[i], (int)ended[i]);
            for (int j = 0; j < i; j++)
                pairs += began[i] <= ended[j] && began[j] <= ended[i];
        }
        CHECK(count(text.at).pairs == pairs);
        buf_free(&text);
    }
}

int
main(void)
{
    RUN(only_overlapping_transactions_are_pairs);
    RUN(without_times_sessions_may_overlap);
    RUN(each_constellation_is_a_chance_of_its_anomaly);
    RUN(bounded_work_gives_lower_bounds);
    RUN(agrees_with_all_pairs);
    return test_end();
}
