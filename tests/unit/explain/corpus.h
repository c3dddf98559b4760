/* corpus.h -- the histories with known verdicts, one after the other.
 *
 * They are beside the project and not part of it: tests that want them are
 * skipped where they are missing.  ASSAY_CORPUS says where they are.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_EXPLAIN_CORPUS_H
#define TEST_EXPLAIN_CORPUS_H

#include "format/format.h"
#include "level/level.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One history with the levels that it violates, of those listed. */
struct corpus_case {
    const char *name, *path;
    struct history h;
    level_set listed, violated;
};

/* A row of a table whose columns are levels: tiny/ and named/. */
static inline void
corpus_row(char *line, const enum level *columns, size_t n,
           struct corpus_case *c)
{
    char *field = strchr(line, ',');
    for (size_t i = 0; field && i < n; i++) {
        c->listed |= 1u << columns[i];
        if (strncmp(field + 1, "violated", 8) == 0)
            c->violated |= 1u << columns[i];
        field = strchr(field + 1, ',');
    }
}

/* A row of a table with the columns file, format, level, verdict: real/. */
static inline void
corpus_long_row(const char *line, struct corpus_case *c)
{
    const char *format = strchr(line, ',');
    const char *level = format ? strchr(format + 1, ',') : NULL;
    const char *verdict = level ? strchr(level + 1, ',') : NULL;
    enum level l;
    if (!verdict || !level_parse(level + 1, (size_t)(verdict - level - 1), &l))
        return;
    c->listed = 1u << l;
    if (strncmp(verdict + 1, "violated", 8) == 0)
        c->violated = c->listed;
}

/* Call 'visit' for each history in the verdicts.csv of a folder; return how
 * many there were, 0 where the folder is missing. */
static inline size_t
corpus_each(const char *folder, void (*visit)(struct corpus_case *c))
{
    static const enum level columns[] = {
        LEVEL_RC, LEVEL_RA, LEVEL_CC, LEVEL_PC, LEVEL_PSI, LEVEL_SI, LEVEL_SER};
    const char *const given = getenv("ASSAY_CORPUS");
    const char *const root = getenv("SOURCE_ROOT");
    struct buf dir = {0}, path = {0};
    if (given)
        buf_printf(&dir, "%s/%s", given, folder);
    else
        buf_printf(&dir, "%s/../shared/corpus/%s", root ? root : ".", folder);
    buf_printf(&path, "%s/verdicts.csv", dir.at);
    FILE *table = fopen(path.at, "r");
    size_t n = 0;
    char line[512];
    bool one_per_row = false;
    while (table && fgets(line, sizeof line, table)) {
        char *comma = strchr(line, ',');
        if (!comma || strncmp(line, "file,", 5) == 0) {
            one_per_row = strstr(line, "verdict") != NULL;
            continue;
        }
        struct corpus_case c = {0};
        struct err err = {0};
        if (one_per_row)
            corpus_long_row(line, &c);
        else
            corpus_row(line, columns, sizeof columns / sizeof *columns, &c);
        *comma = 0;
        buf_clear(&path);
        buf_printf(&path, "%s/%s%s", dir.at, line,
                   strchr(line, '.') ? "" : ".txt");
        c.name = line;
        c.path = path.at;
        if (!format_read(path.at, "auto", 1, &c.h, NULL, &err)) {
            printf("# %s: %s\n", path.at, err.text);
            abort();
        }
        visit(&c);
        history_free(&c.h);
        n++;
    }
    if (table)
        fclose(table);
    buf_free(&dir);
    buf_free(&path);
    return n;
}

#endif
