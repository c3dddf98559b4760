/* test_json.c -- the writer of JSON: commas, escapes and numbers.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>

/* Check the text, and empty the buffer. */
static void
expect(struct buf *out, const char *text)
{
    if (strcmp(out->at, text) != 0)
        printf("# found %s\n# expected %s\n", out->at, text);
    CHECK(strcmp(out->at, text) == 0);
    buf_clear(out);
}

static void
commas_stand_between_values_and_nowhere_else(void)
{
    struct buf out = {0};
    json_object(&out, NULL);
    json_text(&out, "a", "x");
    json_array(&out, "b");
    json_array(&out, NULL);
    json_array_end(&out);
    json_object(&out, NULL);
    json_object_end(&out);
    json_u64(&out, NULL, 1);
    json_bool(&out, NULL, true);
    json_null(&out, NULL);
    json_i64(&out, NULL, -2);
    json_array_end(&out);
    json_object(&out, "c");
    json_bool(&out, "d", false);
    json_object_end(&out);
    json_raw(&out, "e", "[1]", 3);
    json_printf(&out, "f", "T%d", 7);
    json_end_line(&out);
    expect(&out, "{\"a\":\"x\",\"b\":[[],{},1,true,null,-2],"
                 "\"c\":{\"d\":false},\"e\":[1],\"f\":\"T7\"}\n");
    buf_free(&out);
}

/* The last byte decides, so brackets and commas inside texts must not. */
static void
texts_that_end_like_brackets_are_values(void)
{
    struct buf out = {0};
    json_array(&out, NULL);
    const char *const texts[] = {"{", "[", ":", ",", "\n", "\"", ""};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_text(&out, NULL, texts[i]);
    json_array_end(&out);
    expect(&out, "[\"{\",\"[\",\":\",\",\",\"\\n\",\"\\\"\",\"\"]");
    json_object(&out, NULL);
    json_u64(&out, "a\"[", 1);
    json_object_end(&out);
    expect(&out, "{\"a\\\"[\":1}");
    buf_free(&out);
}

static void
lines_and_cut_texts_begin_anew(void)
{
    struct buf out = {0};
    for (int i = 0; i < 2; i++) {
        json_object(&out, NULL);
        json_end_line(&out);
    }
    expect(&out, "{}\n{}\n");
    json_array(&out, NULL);
    json_u64(&out, NULL, 1);
    const size_t before = out.n;
    json_u64(&out, NULL, 2);
    out.at[out.n = before] = '\0';
    json_u64(&out, NULL, 3);
    expect(&out, "[1,3");
    // Its first elements were taken out of the buffer.
    json_break(&out, false);
    json_u64(&out, NULL, 4);
    json_break(&out, false);
    json_u64(&out, NULL, 5);
    expect(&out, ",\n4,\n5");
    buf_free(&out);
}

static void
numbers_are_those_of_the_c_locale(void)
{
    static const double some[] = {0,      1,       -1,     0.5,       1.0 / 3,
                                  1e-5,   0.00012, 1e9,    123456789, 1e15,
                                  2.5e-9, 1e300,   -1e-300};
    struct buf out = {0};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        char text[400];
        snprintf(text, sizeof text, "%.6f", some[i]);
        json_fixed(&out, NULL, some[i], 6);
        expect(&out, text);
        snprintf(text, sizeof text, "%.9g", some[i]);
        json_real(&out, NULL, some[i]);
        expect(&out, text);
    }
    json_fixed(&out, NULL, NAN, 6);
    expect(&out, "null");
    json_real(&out, NULL, INFINITY);
    expect(&out, "null");
    buf_free(&out);
}

/* Terminals obey C1 controls too, and readers the marks of direction. */
static void
texts_show_what_they_hide(void)
{
    struct buf out = {0};
    json_text(&out, NULL, "\xc2\x9b\x7f");
    expect(&out, "\"\\u009b\\u007f\"");
    json_text(&out, NULL, "\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbf");
    expect(&out, "\"\\u202e\\u2066\\ufeff\"");
    json_text(&out, NULL, "\xe2\x82\xac");
    expect(&out, "\"\xe2\x82\xac\"");
    buf_free(&out);
}

int
main(void)
{
    RUN(commas_stand_between_values_and_nowhere_else);
    RUN(texts_that_end_like_brackets_are_values);
    RUN(lines_and_cut_texts_begin_anew);
    RUN(numbers_are_those_of_the_c_locale);
    RUN(texts_show_what_they_hide);
    return test_end();
}
