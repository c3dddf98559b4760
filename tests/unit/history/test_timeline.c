/* test_timeline.c -- how a run went over time.
 *
 * SPDX-License-Identifier: MIT */
#include "hist.h"
#include "test.h"

#include "history/timeline.h"

static struct timeline
timeline(const char *text)
{
    struct history h;
    struct timeline out;
    hist(&h, text);
    CHECK(!timeline_applies(&h)); // units are not known
    h.is_recording = true;
    CHECK(timeline_applies(&h));
    timeline_of(&h, &out);
    history_free(&h);
    return out;
}

static void
outcomes_are_counted_apart(void)
{
    struct timeline t = timeline("[x:=1]@1..9 [x:=2]!@20..29 --- [x==1]@5..8 "
                                 "--- [y:=1]?@10..15");
    CHECK(t.intervals.n == 1);
    CHECK(t.intervals.at[0].committed == 2);
    CHECK(t.intervals.at[0].aborted == 1);
    CHECK(t.intervals.at[0].unknown == 1);
    CHECK(t.zero == 0 && t.seconds > 29e-9 && t.seconds < 31e-9);
    timeline_free(&t);
}

static void
percentiles_are_times_that_occurred(void)
{
    struct timeline t = timeline("[x:=1]@0..10 --- [x:=2]@0..30 --- "
                                 "[x:=3]@5..25");
    CHECK(t.intervals.at[0].median == 20);
    CHECK(t.intervals.at[0].percentile_99 == 30);
    timeline_free(&t);
    t = timeline("[x:=1]!@0..10");
    CHECK(t.intervals.at[0].median == -1);
    CHECK(t.intervals.at[0].percentile_99 == -1);
    timeline_free(&t);
}

/* 40 transactions, one after the other: four intervals of ten. */
static void
intervals_are_equal_and_count_everything_once(void)
{
    struct buf text = {0};
    for (int i = 0; i < 40; i++)
        buf_printf(&text, "[x:=%d]@%d..%d ", i, 10 * i, 10 * i + 9);
    struct timeline t = timeline(text.at);
    uint64_t n = 0;
    CHECK(t.intervals.n == 4);
    for (size_t i = 0; i < t.intervals.n; i++) {
        CHECK(t.intervals.at[i].committed == 10);
        CHECK(t.intervals.at[i].median == 9);
        n += t.intervals.at[i].committed;
    }
    CHECK(n == 40);
    timeline_free(&t);
    buf_free(&text);
}

/* A clock that is not that of the run has counted more than the run took. */
static void
a_foreign_clock_begins_with_the_first_transaction(void)
{
    struct timeline t = timeline("[x:=1]@1000000..1000010 --- "
                                 "[x:=2]@1000005..1000020");
    CHECK(t.zero == 1000000);
    CHECK(t.seconds < 30e-9);
    timeline_free(&t);
}

int
main(void)
{
    RUN(outcomes_are_counted_apart);
    RUN(percentiles_are_times_that_occurred);
    RUN(intervals_are_equal_and_count_everything_once);
    RUN(a_foreign_clock_begins_with_the_first_transaction);
    return test_end();
}
