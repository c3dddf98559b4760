/* test_corpus.c -- predictions on executions with known answers.
 *
 * Two tables beside the repository: tiny executions with answers by brute
 * force, and what another program answered on its own.  Without them the tests
 * are skipped.
 *
 * SPDX-License-Identifier: MIT */
#include "format/format.h"
#include "predict/predict.h"
#include "test.h"

#include <stdlib.h>

static FILE *
open_table(const char *name)
{
    char path[1024];
    const char *root = getenv("SOURCE_ROOT");
    snprintf(path, sizeof path, "%s/../shared/corpus/%s", root ? root : ".",
             name);
    return fopen(path, "r");
}

/* Whether there is a prediction for that file; -1 if that could not be told. */
static int
ask(const char *folder, const char *file, enum level level, bool is_strict,
    uint32_t *changed)
{
    char path[1024];
    struct history h;
    struct err err = {0};
    const char *root = getenv("SOURCE_ROOT");
    snprintf(path, sizeof path, "%s/../shared/corpus/%s/%s", root ? root : ".",
             folder, file);
    if (!format_read(path, "trace", 1, &h, NULL, &err))
        return -1;
    struct prediction p;
    const struct predict_options options = {.level = level,
                                            .is_strict = is_strict};
    int answer = -1;
    if (predict(&h, &options, &p, &err)) {
        answer = p.answer == PREDICT_FOUND  ? 1
                 : p.answer == PREDICT_NONE ? 0
                                            : -1;
        *changed = p.found.n ? p.found.at[0].changed : 0;
        prediction_free(&p);
    }
    history_free(&h);
    return answer;
}

static void
agrees_on_tiny_executions(void)
{
    FILE *table = open_table("tiny-traces/verdicts.csv");
    if (!table) {
        SKIP("no corpus beside the repository");
        return;
    }
    char line[256], file[64], name[16], boundary[16], verdict[16];
    unsigned least;
    size_t n = 0;
    while (fgets(line, sizeof line, table)) {
        enum level level;
        if (sscanf(line, "%63[^,],%15[^,],%15[^,],%15[^,],%u", file, name,
                   boundary, verdict, &least) < 4 ||
            !level_parse(name, strlen(name), &level))
            continue; // the heading
        uint32_t changed = 0;
        const bool expected = strcmp(verdict, "sat") == 0;
        const int got = ask("tiny-traces", file, level,
                            strcmp(boundary, "strict") == 0, &changed);
        CHECK(got == expected);
        CHECK(!expected || changed >= least);
        if (got != expected)
            printf("# %s", line);
        n++;
    }
    fclose(table);
    CHECK(n >= 7200);
}

static void
agrees_with_the_other_program(void)
{
    FILE *table = open_table("traces/isopredict-verdicts.csv");
    if (!table) {
        SKIP("no corpus beside the repository");
        return;
    }
    char line[256], file[64], name[16], strategy[32], verdict[16];
    size_t n = 0;
    while (fgets(line, sizeof line, table)) {
        enum level level;
        if (sscanf(line, "%63[^,],%15[^,],%31[^,],%15[^,\r\n]", file, name,
                   strategy, verdict) != 4 ||
            !level_parse(name, strlen(name), &level) ||
            strcmp(verdict, "timeout") == 0)
            continue;
        uint32_t changed;
        const int got =
            ask("traces", file, level, strstr(strategy, "strict"), &changed);
        CHECK(got == (strcmp(verdict, "sat") == 0));
        n++;
    }
    fclose(table);
    CHECK(n == 88);
}

int
main(void)
{
    RUN(agrees_on_tiny_executions);
    RUN(agrees_with_the_other_program);
    return test_end();
}
