/* test_size.c -- the checker can be read in one sitting.
 *
 * Whoever wants to trust a verdict has to trust the code that checks its
 * certificate, so that code is kept small.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include <dirent.h>
#include <stdlib.h>

enum { MOST_LINES = 3000 };

static unsigned
count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned lines = 0;
    CHECK(file != NULL);
    for (int c; file && (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    if (file)
        fclose(file);
    return lines;
}

static void
the_checker_can_be_read_in_one_sitting(void)
{
    const char *root = getenv("SOURCE_ROOT");
    char path[4096];
    snprintf(path, sizeof path, "%s/src/verify", root ? root : ".");
    DIR *dir = opendir(path);
    if (!dir) {
        SKIP("the sources are not here (SOURCE_ROOT)");
        return;
    }
    unsigned files = 0, lines = 0;
    for (const struct dirent *e; (e = readdir(dir));) {
        if (*e->d_name == '.')
            continue;
        char name[4096 + 300];
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        lines += count_lines(name);
        files++;
    }
    closedir(dir);
    printf("# src/verify has %u lines in %u files\n", lines, files);
    CHECK(files > 0);
    CHECK(lines <= MOST_LINES);
}

int
main(void)
{
    RUN(the_checker_can_be_read_in_one_sitting);
    return test_end();
}
