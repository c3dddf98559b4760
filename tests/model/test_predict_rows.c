/* test_predict_rows.c -- prediction on rows agrees with brute force on the
 * registers that the definition makes of them.
 *
 *     test_model_predict_rows [COUNT [SEED]]
 *
 * SPDX-License-Identifier: MIT */
#include "brute_predict.h"
#include "format/format.h"
#include "format/readers.h"
#include "history/builder/builder.h"
#include "predict/predict.h"
#include "predict/predict_input.h"
#include "range.h"
#include "row_trace.h"
#include "test.h"

static uint64_t count = 60, first_seed = 1, asked, predicted;

static bool
read_lines(const struct buf *text, struct history *h, struct err *err)
{
    struct input in = {.name = "trace", .data = text->at, .size = text->n};
    struct builder *b = builder_new(atom_nil());
    if (!format_jsonl.read(&in, b, err)) {
        builder_free(b);
        return false;
    }
    return builder_finish(b, h, err);
}

static void
compare_level(const struct history *h, enum level level, bool is_strict,
              bool expected, uint64_t seed)
{
    struct prediction p;
    struct err err = {0};
    const struct predict_options options = {
        .level = level, .is_strict = is_strict, .prove = true};
    const bool ok = predict(h, &options, &p, &err);
    CHECK(ok);
    if (!ok)
        return;
    const bool agrees = p.answer == (expected ? PREDICT_FOUND : PREDICT_NONE);
    CHECK(agrees);
    if (!agrees)
        printf("# seed %llu, %s, %s: expected %d\n", (unsigned long long)seed,
               level_table[level].brief, is_strict ? "strict" : "relaxed",
               expected);
    asked++;
    predicted += expected;
    prediction_free(&p);
}

static void
compare(uint64_t seed)
{
    static const enum level levels[] = {LEVEL_RC,  LEVEL_RA, LEVEL_CC,
                                        LEVEL_PSI, LEVEL_PC, LEVEL_SI};
    struct trace t;
    struct buf recorded = {0}, registers = {0};
    struct history rows, plain;
    struct err err = {0};
    trace_random(&t, seed);
    trace_recorded(&t, false, &recorded);
    trace_registers(&t, &registers);
    const struct predict_input how = {.each_alone = true, .threads = 1};
    const bool is_read = read_lines(&recorded, &rows, &err) &&
                         predict_input_prepare(&rows, &how, &err);
    const bool is_plain = read_lines(&registers, &plain, &err);
    CHECK(is_read && is_plain);
    if (count == 1 || !is_read || !is_plain)
        printf("# seed %llu: %s\n%s%s", (unsigned long long)seed, err.text,
               recorded.at, registers.at);
    for (int way = 0; is_read && is_plain && way < 2; way++) {
        const level_set expected =
            brute_predict(&plain, (struct brute_question){.is_strict = way});
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
            compare_level(&rows, levels[i], way,
                          level_set_has(expected, levels[i]), seed);
    }
    if (is_read)
        history_free(&rows);
    if (is_plain)
        history_free(&plain);
    buf_free(&recorded);
    buf_free(&registers);
}

static void
rows_agree_with_brute_force(void)
{
    for (uint64_t i = 0; i < count; i++)
        compare(first_seed + i);
    printf("# %llu of %llu questions have a prediction\n",
           (unsigned long long)predicted, (unsigned long long)asked);
    CHECK(predicted > asked / 50);
}

int
main(int argc, char **argv)
{
    take_range(argc, argv, &count, &first_seed);
    RUN(rows_agree_with_brute_force);
    return test_end();
}
