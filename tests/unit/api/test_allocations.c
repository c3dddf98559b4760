/* test_allocations.c -- running out of memory is an error value: every
 * allocation of a few calls fails once.
 *
 * The test is linked with --wrap, so that each call of the allocator goes
 * through it.  The n-th one fails, for every n until none does; after each
 * failure the library must work as before, and nothing may be left.
 *
 *     test_allocations [LEVELS FILE...]
 *
 * With histories as arguments, does the same for these instead.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include <assay/assay.h>

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real_free(void *p);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap_free(void *p);

static long calls_left = -1; // until one fails; negative: none does
static long blocks;          // in use

static bool
fails(void)
{
    return calls_left >= 0 && calls_left-- == 0;
}

static void *
counted(void *p)
{
    blocks += p != NULL;
    return p;
}

void *
__wrap_malloc(size_t n)
{
    return fails() ? NULL : counted(__real_malloc(n));
}

void *
__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : counted(__real_calloc(n, size));
}

void *
__wrap_realloc(void *p, size_t n)
{
    if (fails())
        return NULL;
    void *q = __real_realloc(p, n);
    blocks += q && !p;
    return q;
}

void
__wrap_free(void *p)
{
    blocks -= p != NULL;
    __real_free(p);
}

static const char *format = "jsonl"; // NULL: as the text looks

/* Read, check, explain and show; the verdict, or unknown. */
static assay_verdict_t
check_text(const char *text, const char *levels)
{
    assay *a = assay_new();
    assay_history *h = assay_parse(a, text, strlen(text), format);
    assay_result *r = assay_check(a, h, levels);
    const assay_verdict_t v = assay_verdict(r);
    const bool is_shown = assay_result_text(r, "text", NULL) &&
                          assay_result_text(r, "json", NULL);
    const bool is_certified = assay_certificate(r, 0, NULL);
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
    return is_shown && is_certified ? v : ASSAY_UNKNOWN;
}

/* The answer of a prediction, which has the numbers of verdicts. */
static assay_verdict_t
predict_text(const char *text, const char *levels)
{
    assay *a = assay_new();
    assay_history *h = assay_parse(a, text, strlen(text), format);
    assay_prediction *p = assay_predict(a, h, levels, 2);
    const assay_verdict_t v = (assay_verdict_t)assay_answer(p);
    const bool is_shown = assay_prediction_text(p, "text", NULL) &&
                          assay_prediction_text(p, "json", NULL) &&
                          assay_prediction_text(p, "html", NULL);
    assay_prediction_free(p);
    assay_history_free(h);
    assay_free(a);
    return is_shown ? v : ASSAY_UNKNOWN;
}

static assay_verdict_t
record_and_check(const char *text, const char *levels)
{
    (void)text;
    assay *a = assay_new();
    assay_recorder *rec = assay_recorder_new(a);
    assay_session *s = assay_session_open(rec, "s");
    assay_session *t = assay_session_open(rec, NULL);
    assay_begin(s);
    assay_name(s, "writer");
    assay_write_text(s, "x", "v");
    assay_end(s, ASSAY_COMMITTED);
    assay_begin(t);
    assay_read_nil(t, "x");
    assay_end(t, ASSAY_COMMITTED);
    const bool all = s && t;
    assay_history *h = assay_recorder_finish(rec);
    assay_result *r = assay_check(a, h, levels);
    const assay_verdict_t v = assay_verdict(r);
    assay_result_free(r);
    assay_history_free(h);
    assay_free(a);
    return all ? v : ASSAY_UNKNOWN;
}

/* Fail every allocation in turn.  Where one failed, the answer is unknown. */
static void
fail_each(assay_verdict_t (*call)(const char *text, const char *levels),
          const char *text, const char *levels, assay_verdict_t expected)
{
    long n = 0;
    CHECK(call(text, levels) == expected);
    const long before = blocks;
    for (bool is_last = false; !is_last && test_ok; n++) {
        calls_left = n;
        const assay_verdict_t v = call(text, levels);
        is_last = calls_left >= 0;
        calls_left = -1;
        CHECK(is_last ? v == expected : v == ASSAY_UNKNOWN || v == expected);
        CHECK(blocks == before);
    }
    printf("# %ld allocations\n", n);
    CHECK(call(text, levels) == expected);
}

#define R(key, value) "[\"r\",\"" key "\"," value "]"
#define W(key, value) "[\"w\",\"" key "\"," value "]"
#define TXN(session, ops) "{\"session\":" session ",\"ops\":[" ops "]}\n"

static void
a_history_that_holds(void)
{
    fail_each(check_text, TXN("1", W("x", "1")) TXN("2", R("x", "1")), "all",
              ASSAY_HOLDS);
}

static void
a_write_skew(void)
{
    fail_each(check_text,
              TXN("1", R("x", "null") "," R("y", "null") "," W("x", "1"))
                  TXN("2", R("x", "null") "," R("y", "null") "," W("y", "1")),
              "si,ser", ASSAY_VIOLATED);
}

static void
a_read_from_thin_air(void)
{
    fail_each(check_text, TXN("1", W("x", "1.5")) TXN("2", R("x", "1.7")), "rc",
              ASSAY_VIOLATED);
}

static void
lists(void)
{
    fail_each(check_text,
              TXN("1", "[\"append\",\"l\",1]") TXN("2", "[\"append\",\"l\",2]")
                  TXN("3", R("l", "[1,2]")) TXN("4", R("l", "[2,1]")),
              "ser", ASSAY_VIOLATED);
}

static void
a_recording(void)
{
    fail_each(record_and_check, NULL, "strict-ser", ASSAY_VIOLATED);
}

static void
predictions(void)
{
    fail_each(predict_text,
              TXN("1", R("x", "null") "," R("y", "null") "," W("x", "1"))
                  TXN("2", R("x", "1") "," R("y", "null") "," W("y", "1")),
              "si", ASSAY_VIOLATED);
    // Values that two transactions write: the history is made registers.
    fail_each(predict_text,
              TXN("1", W("x", "1")) TXN("2", W("x", "1")) TXN("3", R("x", "1")),
              "rc", ASSAY_HOLDS);
}

static const char *file_levels;
static char **files;

/* The text of a file, with a zero at its end. */
static char *
text_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    size_t n = 0;
    CHECK(f != NULL);
    for (size_t got = 1; f && got;) {
        text = realloc(text, n + 4097);
        got = fread(text + n, 1, 4096, f);
        n += got;
        text[n] = 0;
    }
    if (f)
        fclose(f);
    return text;
}

static void
histories_of_files(void)
{
    format = NULL;
    for (; *files && test_ok; files++) {
        char *text = text_of(*files);
        printf("# %s\n", *files);
        if (text)
            fail_each(check_text, text, file_levels,
                      check_text(text, file_levels));
        free(text);
    }
}

int
main(int argc, char **argv)
{
    if (argc > 2) {
        file_levels = argv[1];
        files = argv + 2;
        RUN(histories_of_files);
        return test_end();
    }
    RUN(a_history_that_holds);
    RUN(a_write_skew);
    RUN(a_read_from_thin_air);
    RUN(lists);
    RUN(a_recording);
    RUN(predictions);
    return test_end();
}
