/* test_size.c -- a checker can be read in one sitting.
 *
 * Whoever wants to trust a verdict has to trust the code that checks its
 * certificate, so that code is kept small.  What checks that nothing can be
 * predicted (verify_absence.c and absence_*) is a checker of its own.
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
a_checker_can_be_read_in_one_sitting(void)
{
    const char *root = getenv("SOURCE_ROOT");
    char path[4096];
    snprintf(path, sizeof path, "%s/src/verify", root ? root : ".");
    DIR *dir = opendir(path);
    if (!dir) {
        SKIP("the sources are not here (SOURCE_ROOT)");
        return;
    }
    unsigned files[2] = {0}, lines[2] = {0}; // of verdicts, of absence
    for (const struct dirent *e; (e = readdir(dir));) {
        if (*e->d_name == '.')
            continue;
        char name[4096 + 300];
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        const bool absence = strstr(e->d_name, "absence");
        lines[absence] += count_lines(name);
        files[absence]++;
    }
    closedir(dir);
    printf("# verdicts: %u lines in %u files; predictions: %u lines in %u "
           "files\n",
           lines[0], files[0], lines[1], files[1]);
    for (int i = 0; i < 2; i++) {
        CHECK(files[i] > 0);
        CHECK(lines[i] <= MOST_LINES);
    }
}

int
main(void)
{
    RUN(a_checker_can_be_read_in_one_sitting);
    return test_end();
}
