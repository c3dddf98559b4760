/* test_size.c -- a checker can be read in one sitting.
 *
 * Whoever wants to trust a verdict has to trust the code that checks its
 * certificate, so that code is kept small.  What checks that nothing can be
 * predicted (verify/absence) is a checker of its own.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include <dirent.h>
#include <stdlib.h>

enum { MOST_LINES = 2750 };

/* Lines with something on them, preprocessor lines aside. */
static unsigned
count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned lines = 0;
    CHECK(file != NULL);
    char line[4096];
    while (file && fgets(line, sizeof line, file))
        lines += *line != '\n' && *line != '#';
    if (file)
        fclose(file);
    return lines;
}

static bool
is_source(const char *name)
{
    const size_t n = strlen(name);
    return n > 2 && name[n - 2] == '.' &&
           (name[n - 1] == 'c' || name[n - 1] == 'h');
}

static void
check_folder(const char *folder)
{
    const char *root = getenv("SOURCE_ROOT");
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", root ? root : ".", folder);
    DIR *dir = opendir(path);
    if (!dir) {
        SKIP("the sources are not here (SOURCE_ROOT)");
        return;
    }
    unsigned files = 0, lines = 0;
    for (const struct dirent *e; (e = readdir(dir));) {
        if (!is_source(e->d_name))
            continue;
        char name[4096 + 300];
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        lines += count_lines(name);
        files++;
    }
    closedir(dir);
    printf("# %s: %u lines in %u files\n", folder, lines, files);
    CHECK(files > 1);
    CHECK(lines > 100 && lines <= MOST_LINES);
}

static void
the_checker_of_verdicts_can_be_read_in_one_sitting(void)
{
    check_folder("src/verify");
}

static void
the_checker_of_predictions_can_be_read_in_one_sitting(void)
{
    check_folder("src/verify/absence");
}

static void
the_checker_of_rows_can_be_read_in_one_sitting(void)
{
    check_folder("src/verify/rows");
}

int
main(void)
{
    RUN(the_checker_of_verdicts_can_be_read_in_one_sitting);
    RUN(the_checker_of_predictions_can_be_read_in_one_sitting);
    RUN(the_checker_of_rows_can_be_read_in_one_sitting);
    return test_end();
}
