/* test_reduced.c -- what is written of a violation of rows is a violation.
 *
 *     test_reduced [COUNT [SEED]]
 *
 * Random histories with rows are checked and explained.  Every reduced history
 * that can be written is written and read again.  It violates the level, and no
 * level that the whole satisfies.
 *
 * SPDX-License-Identifier: MIT */
#include "random_rows.h"
#include "range.h"
#include "record.h"
#include "test.h"
#include "verdicts.h"

#include "explain/explain.h"
#include "format/format.h"
#include "format/jsonl/jsonl.h"
#include "history/builder/builder.h"

static uint64_t first_seed = 1;
static uint64_t histories = 400;

static level_set
violated_by(const struct history *h, level_set levels)
{
    struct verdicts v;
    verdicts_of(h, levels, &v);
    return v.violated;
}

/* The levels that the history violates which this text is. */
static level_set
violated_by_text(const struct buf *text, level_set levels)
{
    struct err err = {0};
    struct input in = {
        .name = "reduced", .data = text->at, .size = text->n, .threads = 1};
    struct builder *b = builder_new(atom_nil());
    struct history h = {0};
    level_set violated = 0;
    if (!format_find("jsonl")->read(&in, b, &err)) {
        builder_free(b);
    } else if (builder_finish(b, &h, &err)) {
        violated = violated_by(&h, levels);
        history_free(&h);
    }
    if (err.kind)
        printf("# %s in\n%s", err.text, text->at);
    return violated;
}

/* Explain that h violates the level; false where what is written is wrong. */
static bool
is_written(const struct history *h, enum level level, level_set all,
           level_set violated, size_t *written)
{
    const struct check_options o = verdicts_options(1u << level);
    struct check c;
    struct err err = {0}, refused = {0};
    struct explanation e;
    bool right = check_history(h, &o, &c, &err) && c.results.n == 1;
    CHECK(right);
    const struct explain_options options = {
        .most = 3, .work = 10000000, .threads = 1, .strong = strong_defaults};
    right = explain_result(h, &c, &c.results.at[0], &options, &e, &err);
    CHECK(right);
    for (size_t i = 0; right && i < e.anomalies.n; i++) {
        struct buf text = {0};
        if (!jsonl_holds(&e.anomalies.at[i].reduced, &refused))
            continue;
        jsonl_show(&e.anomalies.at[i].reduced, &text);
        const level_set found = violated_by_text(&text, all);
        right = found >> level & 1 && !(found & ~violated);
        if (!right)
            printf("# %s, the whole violates %x, this %x:\n%s",
                   level_table[level].brief, violated, found, text.at);
        buf_free(&text);
        ++*written;
    }
    explanation_free(&e);
    check_free(&c);
    return right;
}

static void
a_reduced_history_of_rows_is_a_violation(void)
{
    size_t written = 0, wrong = 0;
    for (uint64_t i = 0; i < histories && wrong < 5; i++) {
        struct record r;
        struct history h;
        random_rows(first_seed + i, &r);
        record_build(&r, &h);
        level_set all = level_implied(LEVEL_SER);
        if (r.times)
            all |= 1u << LEVEL_STRICT_SER;
        const level_set violated = violated_by(&h, all);
        for (int l = 0; l < LEVELS; l++)
            if (violated >> l & 1 &&
                !is_written(&h, (enum level)l, all, violated, &written)) {
                printf("# seed %llu\n", (unsigned long long)(first_seed + i));
                wrong++;
            }
        history_free(&h);
        record_free(&r);
    }
    CHECK(!wrong);
    CHECK(written > histories / 4);
    printf("# %zu reduced histories\n", written);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &histories, &first_seed);
    RUN(a_reduced_history_of_rows_is_a_violation);
    return test_end();
}
