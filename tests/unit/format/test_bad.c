/* test_bad.c -- every malformed input fails with exactly the message beside it.
 *
 * tests/bad/<format>/ has one input per mistake, a file or a directory whose
 * name says which, and <input>.err with the message that reading it in that
 * format has to give, without the path: only a file inside of an input that
 * is a directory is named.
 *
 * With UPDATE=1 in the environment the .err files are written instead, to be
 * looked through with 'git diff'.
 *
 * SPDX-License-Identifier: MIT */
#include "format/support.h"
#include "test.h"

enum { MISTAKES_LEAST = 8 }; // in each format

static const char *
source_root(void)
{
    const char *root = getenv("SOURCE_ROOT");
    return root ? root : ".";
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef VEC(char *) name_vec;

/* The names in a directory, in order, without hidden ones. */
static void
list(const char *path, struct arena *arena, name_vec *names)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            vec_push(names,
                     arena_copy(arena, entry->d_name, strlen(entry->d_name)));
    if (dir)
        closedir(dir);
    if (names->n)
        qsort(names->at, names->n, sizeof *names->at, compare_names);
}

static bool
has_suffix(const char *name, const char *suffix)
{
    const size_t n = strlen(name), k = strlen(suffix);
    return n > k && strcmp(name + n - k, suffix) == 0;
}

/* The message of reading the input at path. */
static void
read_bad(const char *path, const char *format, struct buf *out)
{
    struct history h;
    struct err err = {0};
    char message[1024] = "no error";
    struct stat st;
    if (format_read(path, format, 1, &h, NULL, &err)) {
        history_free(&h);
    } else {
        if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
            err.file[0] = 0;
        message_of(&err, message, sizeof message);
    }
    buf_text(out, message);
    buf_char(out, '\n');
}

/* The contents of a file; "" where there is none. */
static void
get_file(const char *path, struct buf *out)
{
    FILE *file = fopen(path, "rb");
    char piece[4096];
    size_t n;
    buf_text(out, "");
    while (file && (n = fread(piece, 1, sizeof piece, file)))
        buf_add(out, piece, n);
    if (file)
        fclose(file);
}

static void
check_mistake(const char *directory, const char *format, const char *name)
{
    struct buf path = {0}, err_path = {0}, got = {0}, expected = {0};
    buf_printf(&path, "%s/%s", directory, name);
    buf_printf(&err_path, "%s.err", path.at);
    read_bad(path.at, format, &got);
    if (getenv("UPDATE"))
        put_file(err_path.at, got.at, got.n);
    get_file(err_path.at, &expected);
    if (strcmp(got.at, expected.at) != 0)
        printf("# %s/%s:\n", format, name);
    CHECK_TEXT(got.at, expected.at);
    CHECK(strcmp(got.at, "no error\n") != 0);
    buf_free(&path);
    buf_free(&err_path);
    buf_free(&got);
    buf_free(&expected);
}

static void
check_format(const char *directory, const char *format)
{
    struct arena arena = {0};
    name_vec names = {0};
    size_t mistakes = 0;
    list(directory, &arena, &names);
    for (size_t i = 0; i < names.n; i++)
        if (!has_suffix(names.at[i], ".err")) {
            check_mistake(directory, format, names.at[i]);
            mistakes++;
        }
    printf("# %s: %zu mistakes\n", format, mistakes);
    CHECK(mistakes >= MISTAKES_LEAST);
    vec_free(&names);
    arena_free(&arena);
}

static void
every_mistake_is_told_as_expected(void)
{
    struct arena arena = {0};
    name_vec formats = {0};
    struct buf bad = {0}, directory = {0};
    buf_printf(&bad, "%s/tests/bad", source_root());
    list(bad.at, &arena, &formats);
    CHECK(formats.n > 0);
    for (size_t i = 0; i < formats.n; i++) {
        CHECK(format_find(formats.at[i]));
        buf_clear(&directory);
        buf_printf(&directory, "%s/%s", bad.at, formats.at[i]);
        check_format(directory.at, formats.at[i]);
    }
    buf_free(&bad);
    buf_free(&directory);
    vec_free(&formats);
    arena_free(&arena);
}

int
main(void)
{
    RUN(every_mistake_is_told_as_expected);
    return test_end();
}
