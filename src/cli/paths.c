/* paths.c -- see paths.h.
 *
 * In a directory, a file counts as a history if its name ends like those of a
 * format, whatever it contains: a history that is empty, truncated or damaged
 * is an error and must not be passed over.  Only names that are known to belong
 * to other files are left out.  Links to directories are not followed: they may
 * lead back, and Jepsen's 'latest' would count twice.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/paths.h"

#include "cli/cli.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct expansion {
    struct options *options;
    option_texts found;     // histories, in order
    option_texts waiting;   // directories still to be listed
    size_t left_out;        // files that are no histories
    const char *left_first; // one of them
};

static bool
ends_with(const char *name, size_t n, const char *end)
{
    const size_t len = strlen(end);
    return len && n > len && memcmp(name + n - len, end, len) == 0;
}

/* Whether the name ends like one of a history, without what compression adds.
 */
static bool
has_suffix(const struct options *o, const char *name)
{
    static const char *const packed[] = {".gz", ".zst", ".xz", ".bz2"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (ends_with(name, n, packed[i])) {
            n -= strlen(packed[i]);
            break;
        }
    for (size_t i = 0; format_table[i]; i++)
        if ((strcmp(o->format, "auto") == 0 ||
             strcmp(o->format, format_table[i]->name) == 0) &&
            ends_with(name, n, format_table[i]->suffix))
            return true;
    return false;
}

/* Whether the file is known to be something else: a result of this program, or
 * of Jepsen, or a text for people. */
static bool
is_other(const char *path)
{
    static const char *const names[] = {
        "result.json", "results.json", "results.edn",  "test.edn",
        "README.txt",  "LICENSE.txt",  "CHANGELOG.txt"};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Whether a directory is a history: by what -f says, otherwise by its contents.
 */
static bool
is_history(const struct options *o, const char *path)
{
    const struct format *asked = format_find(o->format);
    if (asked && asked->writes_directory)
        return true;
    struct input in;
    struct err err = {0};
    const struct format *format;
    if (!input_open(&in, path, &err))
        return false;
    const bool known =
        asked ? asked->sniff(&in) > 0 : format_recognise(&in, &format, &err);
    input_close(&in);
    return known;
}

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A file or directory that was found in a directory. */
static void
take_entry(struct expansion *x, const char *path)
{
    struct stat at, behind;
    if (lstat(path, &at) != 0 || stat(path, &behind) != 0)
        return;
    if (S_ISDIR(at.st_mode)) {
        if (is_history(x->options, path))
            vec_push(&x->found, path);
        else
            vec_push(&x->waiting, path);
    } else if (S_ISREG(behind.st_mode)) {
        if (has_suffix(x->options, path) && !is_other(path))
            vec_push(&x->found, path);
        else
            x->left_first = x->left_out++ ? x->left_first : path;
    }
}

static bool
list_directory(struct expansion *x, const char *directory, struct err *err)
{
    DIR *d = opendir(directory);
    if (!d)
        return err_set(err, ERR_IO, "%s", strerror(errno)) ||
               err_in_file(err, directory);
    const size_t n = strlen(directory);
    const char *slash = n && directory[n - 1] == '/' ? "" : "/";
    struct buf path = {0};
    // No other thread uses this stream.
    for (const struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        buf_clear(&path);
        buf_printf(&path, "%s%s%s", directory, slash, e->d_name);
        take_entry(x, arena_copy(&x->options->texts, path.at, path.n));
    }
    buf_free(&path);
    closedir(d);
    return true;
}

static void
note_left_out(const struct expansion *x, const char *directory, size_t n)
{
    if (!x->left_out || x->options->quiet)
        return;
    fputs("note: ", stderr);
    cli_print_shown(stderr, directory);
    fprintf(stderr, ": %zu histor%s, and %zu other file%s left out: ", n,
            n == 1 ? "y" : "ies", x->left_out, x->left_out == 1 ? "" : "s");
    cli_print_shown(stderr, x->left_first);
    fputs(x->left_out > 1 ? ", ...\n" : "\n", stderr);
}

static bool
take_directory(struct expansion *x, const char *directory, struct err *err)
{
    const size_t before = x->found.n;
    x->left_out = 0;
    vec_push(&x->waiting, directory);
    while (x->waiting.n)
        if (!list_directory(x, vec_pop(&x->waiting), err))
            return false;
    const size_t n = x->found.n - before;
    if (!n) {
        err_set(err, ERR_IO,
                "no history is in this directory, expected files that end "
                "as 'assay formats' lists, or the logs of Cobra");
        return err_in_file(err, directory);
    }
    qsort(x->found.at + before, n, sizeof *x->found.at, compare_texts);
    note_left_out(x, directory, n);
    return true;
}

static bool
take_path(struct expansion *x, const char *path, struct err *err)
{
    struct stat st;
    assert(path);
    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
        !is_history(x->options, path))
        return take_directory(x, path, err);
    vec_push(&x->found, path);
    return true;
}

static bool
take_pattern(struct expansion *x, const char *pattern, struct err *err)
{
    glob_t paths;
    if (glob(pattern, 0, NULL, &paths) != 0)
        return err_set(err, ERR_IO, "no file has a name like this") ||
               err_in_file(err, pattern);
    bool ok = true;
    for (size_t i = 0; ok && i < paths.gl_pathc; i++) {
        const char *path = paths.gl_pathv[i];
        path = arena_copy(&x->options->texts, path, strlen(path));
        ok = take_path(x, path, err);
    }
    globfree(&paths);
    return ok;
}

bool
paths_expand(struct options *o, struct err *err)
{
    struct expansion x = {.options = o};
    bool ok = true;
    for (size_t i = 0; ok && i < o->paths.n; i++) {
        const char *path = o->paths.at[i];
        struct stat st;
        if (stat(path, &st) != 0 && strpbrk(path, "*?["))
            ok = take_pattern(&x, path, err);
        else
            ok = take_path(&x, path, err);
    }
    vec_free(&x.waiting);
    vec_free(&o->paths);
    o->paths = x.found;
    return ok;
}
