/* test_corpus.c -- histories with known verdicts, of this and other projects.
 *
 * They are not part of this project.  Where they are, beside the source, they
 * are checked; otherwise the test is skipped.
 *
 * SPDX-License-Identifier: MIT */
#include "deciding.h"
#include "format/format.h"
#include "test.h"
#include "verify/verify.h"
#include "weak/weak.h"

#include <stdlib.h>

enum { LINE = 512, COLUMNS = 16 };

struct table {
    char path[LINE]; // of the folder
    FILE *file;      // its verdicts.csv
    char line[LINE];
    char *cell[COLUMNS];
    int n;
};

static bool
next_row(struct table *t)
{
    if (!fgets(t->line, sizeof t->line, t->file))
        return false;
    t->line[strcspn(t->line, "\r\n")] = 0;
    t->n = 0;
    for (char *at = t->line; at && t->n < COLUMNS;) {
        t->cell[t->n++] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = 0;
    }
    return true;
}

/* Open the table of a folder and read its first row. */
static bool
open_table(struct table *t, const char *folder)
{
    const char *root = getenv("SOURCE_ROOT");
    snprintf(t->path, sizeof t->path, "%s/../shared/corpus/%s",
             root ? root : ".", folder);
    char csv[LINE + 16];
    snprintf(csv, sizeof csv, "%s/verdicts.csv", t->path);
    t->file = fopen(csv, "r");
    if (!t->file)
        SKIP("the corpus is not here");
    return t->file && next_row(t);
}

static bool
read_history(const struct table *t, const char *name, const char *suffix,
             struct history *h)
{
    char path[2 * LINE];
    struct err err = {0};
    snprintf(path, sizeof path, "%s/%s%s", t->path, name, suffix);
    *h = (struct history){0};
    const bool ok = format_read(path, "auto", 1, h, NULL, &err);
    if (!ok)
        printf("# %s: %s\n", path, err.text);
    return ok;
}

/* Whether h has the verdict "ok" or "violated" at l, with a certificate. */
static bool
has_verdict(const struct history *h, enum level l, const char *expected)
{
    flaw_vec flaws = {0};
    const bool flawed = history_flaws(h, 0, &flaws) != 0;
    vec_free(&flaws);
    if (flawed)
        return strcmp(expected, "violated") == 0;
    struct certificate c;
    struct err err = {0};
    decide_level(h, l, &strong_defaults, NULL, &c, NULL);
    const char *got = c.verdict == VERDICT_OK ? "ok" : "violated";
    const bool fine =
        strcmp(got, expected) == 0 && verify_certificate(h, &c, &err);
    if (!fine)
        printf("# %s: %s, expected %s %s\n", level_table[l].brief, got,
               expected, err.text);
    certificate_free(&c);
    return fine;
}

/* Whether all levels below l hold, too. */
static bool
implies_weaker(const struct history *h, enum level l)
{
    const level_set below = level_implied(l) & ~(1u << l);
    bool fine = true;
    for (int m = LEVEL_PC; m < LEVELS; m++)
        if (below >> m & 1)
            fine &= has_verdict(h, (enum level)m, "ok");
    struct certificate weak[LEVELS] = {0};
    struct weak_stats stats;
    weak_check(h, below, &(struct weak_options){.threads = 1}, weak, &stats);
    for (int m = 0; m < LEVEL_PC; m++) {
        fine &= !(below >> m & 1) || weak[m].verdict == VERDICT_OK;
        certificate_free(&weak[m]);
    }
    return fine;
}

/* Rows are a file and its verdicts; the first row names the levels. */
static void
check_wide(const char *folder, const char *suffix)
{
    struct table t;
    if (!open_table(&t, folder))
        return;
    enum level column[COLUMNS];
    const int n = t.n;
    for (int i = 1; i < n; i++)
        CHECK(level_parse(t.cell[i], strlen(t.cell[i]), &column[i]));
    while (next_row(&t)) {
        struct history h;
        if (!read_history(&t, t.cell[0], suffix, &h)) {
            CHECK(false);
            continue;
        }
        for (int i = 1; i < n && i < t.n; i++)
            if (column[i] >= LEVEL_PC &&
                (!has_verdict(&h, column[i], t.cell[i]) ||
                 (strcmp(t.cell[i], "ok") == 0 &&
                  !implies_weaker(&h, column[i])))) {
                printf("# %s\n", t.cell[0]);
                CHECK(false);
            }
        history_free(&h);
    }
    fclose(t.file);
}

static void
tiny_histories_have_their_verdicts(void)
{
    check_wide("tiny", "");
}

static void
named_anomalies_have_their_verdicts(void)
{
    check_wide("named", ".txt");
}

/* Rows are a file, its format, a level and the verdict. */
static void
recorded_histories_have_their_verdicts(void)
{
    struct table t;
    if (!open_table(&t, "real"))
        return;
    while (next_row(&t)) {
        struct history h;
        enum level l;
        if (t.n < 4 || !level_parse(t.cell[2], strlen(t.cell[2]), &l) ||
            !read_history(&t, t.cell[0], "", &h)) {
            CHECK(false);
            continue;
        }
        if (!has_verdict(&h, l, t.cell[3]) ||
            (strcmp(t.cell[3], "ok") == 0 && !implies_weaker(&h, l))) {
            printf("# %s\n", t.cell[0]);
            CHECK(false);
        }
        history_free(&h);
    }
    fclose(t.file);
}

int
main(void)
{
    RUN(tiny_histories_have_their_verdicts);
    RUN(named_anomalies_have_their_verdicts);
    RUN(recorded_histories_have_their_verdicts);
    return test_end();
}
