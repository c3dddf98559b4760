/* test_journal.c -- lines end up in the file, whatever happens.
 *
 * SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/buf.h"
#include "collect/journal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SEVERAL_WINDOWS = 3 << 18 };

static char path[64];

static void
make_path(void)
{
    strcpy(path, "/tmp/assay-journal-XXXXXX");
    const int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0);
}

/* A line of n characters that tells the i-th from the others. */
static void
compose(struct buf *line, size_t i, size_t n)
{
    buf_clear(line);
    while (line->n < n)
        buf_printf(line, "%zu,", i);
    buf_char(line, '\n');
}

/* Add lines until there are 'bytes' of them; return how many were added. */
static size_t
add_lines(struct journal *j, size_t bytes, size_t longest, struct buf *expected,
          struct err *err)
{
    struct buf line = {0};
    size_t i = 0;
    for (; expected->n < bytes; i++) {
        compose(&line, i, i * 7919 % longest);
        if (!journal_add(j, line.at, line.n, err))
            break;
        buf_add(expected, line.at, line.n);
    }
    buf_free(&line);
    return i;
}

static bool
file_holds(const struct buf *expected)
{
    FILE *file = fopen(path, "r");
    char *found = malloc(expected->n + 1);
    const bool same =
        file && found &&
        fread(found, 1, expected->n + 1, file) == expected->n &&
        (!expected->n || memcmp(found, expected->at, expected->n) == 0);
    if (file)
        fclose(file);
    free(found);
    return same;
}

static void
holds_lines_of_any_length(void)
{
    static const size_t longest[] = {1, 300, 5000, SEVERAL_WINDOWS};
    for (size_t i = 0; i < sizeof longest / sizeof longest[0]; i++) {
        make_path();
        struct err err = {0};
        struct journal j;
        struct buf expected = {0};
        CHECK(journal_open(&j, path, &err));
        CHECK(add_lines(&j, SEVERAL_WINDOWS, longest[i], &expected, &err) > 1);
        CHECK(journal_close(&j, &err));
        CHECK(file_holds(&expected));
        buf_free(&expected);
        unlink(path);
    }
}

static void
is_empty_without_lines(void)
{
    make_path();
    struct err err = {0};
    struct journal j;
    CHECK(journal_open(&j, path, &err));
    CHECK(journal_close(&j, &err));
    const struct buf nothing = {0};
    CHECK(file_holds(&nothing));
    unlink(path);
}

/* Every line that was added is in the file of a process that is killed. */
static void
survives_a_kill(void)
{
    make_path();
    const pid_t child = fork();
    if (child == 0) {
        struct err err = {0};
        struct journal j;
        struct buf expected = {0};
        if (journal_open(&j, path, &err))
            add_lines(&j, SEVERAL_WINDOWS, 300, &expected, &err);
        kill(getpid(), SIGKILL);
    }
    CHECK(child > 0 && waitpid(child, NULL, 0) == child);
    struct buf expected = {0}, line = {0};
    for (size_t i = 0; expected.n < SEVERAL_WINDOWS; i++) {
        compose(&line, i, i * 7919 % 300);
        buf_add(&expected, line.at, line.n);
    }
    struct stat st;
    CHECK(stat(path, &st) == 0 && (size_t)st.st_size >= expected.n);
    while (expected.n < (size_t)st.st_size)
        buf_char(&expected, '\n');
    CHECK(file_holds(&expected));
    buf_free(&expected);
    buf_free(&line);
    unlink(path);
}

/* Where the file must not grow any more, the error comes with a call and the
 * lines before it stay. */
static void
a_full_disk_is_an_error(void)
{
    make_path();
    struct rlimit before, small = {.rlim_cur = SEVERAL_WINDOWS / 2};
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small.rlim_max = before.rlim_max;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    struct err err = {0};
    struct journal j;
    struct buf expected = {0};
    CHECK(journal_open(&j, path, &err));
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    CHECK(add_lines(&j, SEVERAL_WINDOWS, 300, &expected, &err) > 0);
    CHECK(expected.n < SEVERAL_WINDOWS);
    CHECK_TEXT(err.text, "cannot write: File too large");
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    signal(SIGXFSZ, handler);
    CHECK(journal_close(&j, &err));
    CHECK(file_holds(&expected));
    buf_free(&expected);
    unlink(path);
}

static void
writes_into_a_pipe(void)
{
    make_path();
    CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0);
    const pid_t child = fork();
    if (child == 0) {
        struct err err = {0};
        struct journal j;
        _exit(
            journal_open(&j, path, &err) && journal_add(&j, "one\n", 4, &err) &&
                    journal_add(&j, "two\n", 4, &err) && journal_close(&j, &err)
                ? 0
                : 1);
    }
    FILE *file = fopen(path, "r");
    char found[16] = "";
    CHECK(file && fread(found, 1, sizeof found - 1, file) == 8);
    CHECK(strcmp(found, "one\ntwo\n") == 0);
    if (file)
        fclose(file);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    unlink(path);
}

static void
says_what_it_cannot_open(void)
{
    struct err err = {0};
    struct journal j;
    CHECK(!journal_open(&j, "/nowhere/at/all", &err));
    CHECK_TEXT(err.file, "/nowhere/at/all");
    CHECK_TEXT(err.text, "cannot write: No such file or directory");
}

int
main(void)
{
    RUN(holds_lines_of_any_length);
    RUN(is_empty_without_lines);
    RUN(survives_a_kill);
    RUN(a_full_disk_is_an_error);
    RUN(writes_into_a_pipe);
    RUN(says_what_it_cannot_open);
    return test_end();
}
