/* test_threads.c -- threads change nothing: several histories, levels and
 * explanations at once give the same report as one after the other.
 *
 * This is one of the tests that run under the thread sanitizer.
 *
 * SPDX-License-Identifier: MIT */
#include "gen/gen.h"
#include "pipeline/inspection_batch.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 9, THREADS = 3 };

static char directory[] = "/tmp/assay-batch-XXXXXX";
static char names[FILES][64];
static const char *paths[FILES];

/* Histories of different sizes, every third one with a lost update; one file
 * that is broken and one that does not exist. */
static bool
make_files(void)
{
    for (size_t i = 0; i < FILES; i++) {
        snprintf(names[i], sizeof names[i], "%s/%zu.hist", directory, i);
        paths[i] = names[i];
        const struct gen_shape shape = {.sessions = 4,
                                        .transactions = 20 + 150 * (i % 4),
                                        .operations = 4,
                                        .keys = 10,
                                        .reads = 0.5,
                                        .level = LEVEL_SER,
                                        .seed = i + 1};
        struct history h;
        struct err err = {0};
        if (!gen_history(&shape, &h, &err) ||
            !format_write(&h, format_find("hist"), paths[i], &err))
            return false;
        history_free(&h);
        if (i % 3 == 0) {
            FILE *file = fopen(paths[i], "ab");
            if (!file ||
                fputs("\n---\n[z==? z:=1]\n---\n[z==? z:=2]\n", file) < 0 ||
                fclose(file) != 0)
                return false;
        }
    }
    FILE *file = fopen(paths[5], "wb");
    return file && fputs("[x:=", file) >= 0 && fclose(file) == 0 &&
           unlink(paths[7]) == 0;
}

/* What the caller of a batch sees, as text. */
static void
note_result(void *self, const char *path,
            const struct inspection_result *result, const struct err *err)
{
    buf_printf(self, "%s: %s, %d\n", strrchr(path, '/'),
               err ? err->text : "read", err ? 0 : (int)result->verdict);
}

static void
inspect_with(unsigned threads, struct buf *calls, struct report *report)
{
    struct inspection_options o = inspection_defaults();
    o.check.levels = 1u << LEVEL_RA | 1u << LEVEL_CC | 1u << LEVEL_PC |
                     1u << LEVEL_SI | 1u << LEVEL_SER;
    o.check.threads = o.explaining.threads = threads;
    o.reports = report;
    o.n_reports = 1;
    report_begin(report, report_find("text"),
                 &(struct report_style){.version = "test"});
    inspection_batch(&o, paths, FILES, note_result, calls);
    report_end(report);
}

static void
reports_and_calls_are_the_same(void)
{
    struct buf one = {0}, many = {0};
    struct report by_one = {0}, by_many = {0};
    inspect_with(1, &one, &by_one);
    inspect_with(THREADS, &many, &by_many);
    CHECK(one.n && one.n == many.n && strcmp(one.at, many.at) == 0);
    CHECK(by_one.out.n && by_one.out.n == by_many.out.n &&
          memcmp(by_one.out.at, by_many.out.at, by_one.out.n) == 0);
    CHECK(strstr(by_one.out.at, "lost update"));
    report_free(&by_one);
    report_free(&by_many);
    buf_free(&one);
    buf_free(&many);
}

// What an observer of several histories hears.
struct hearing {
    size_t done;            // histories
    unsigned levels[FILES]; // that were told of each
    bool early;             // a level of a history whose turn it was not
};

static void
hear_level(void *self, const struct inspection *i, const struct level_result *r,
           bool final)
{
    struct hearing *h = self;
    CHECK(h->done < FILES && r >= i->check.results.at);
    h->early |= strcmp(i->path, paths[h->done]) != 0;
    h->levels[h->done] += final;
}

static void
hear_end(void *self, const char *path, const struct inspection_result *result,
         const struct err *err)
{
    struct hearing *h = self;
    (void)result;
    (void)err;
    CHECK(strcmp(path, paths[h->done]) == 0);
    h->done++;
}

static void
levels_are_told_in_the_order_of_histories(void)
{
    struct inspection_options o = inspection_defaults();
    struct hearing h = {0};
    o.check.levels = 1u << LEVEL_PC | 1u << LEVEL_SI | 1u << LEVEL_SER;
    o.check.threads = o.explaining.threads = THREADS;
    o.observer =
        (struct inspection_observer){.self = &h, .decided = hear_level};
    inspection_batch(&o, paths, FILES, hear_end, &h);
    CHECK(h.done == FILES);
    CHECK(!h.early);
    CHECK(h.levels[0] == 3); // it is its turn from the beginning
}

int
main(void)
{
    if (!mkdtemp(directory) || !make_files()) {
        printf("Bail out! no files\n");
        return 1;
    }
    RUN(reports_and_calls_are_the_same);
    RUN(levels_are_told_in_the_order_of_histories);
    for (size_t i = 0; i < FILES; i++)
        (void)unlink(paths[i]);
    (void)rmdir(directory);
    return test_end();
}
