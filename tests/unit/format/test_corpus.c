/* test_corpus.c -- the histories of other projects: each is recognised for
 * what it is and read, and a sample of them survives every format.
 *
 * They are not part of this project.  Where they are, beside the source, they
 * are read; otherwise the test is skipped.
 *
 * SPDX-License-Identifier: MIT */
#include "format/survive.h"
#include "test.h"

/* What the files of a folder are, by the end of their names. */
static const struct expectation {
    const char *folder, *suffix;
    const struct format *format;
    unsigned every; // one in so many goes through all formats
} EXPECTATIONS[] = {
    {"tiny", ".txt", &format_text, 25},
    {"named", ".txt", &format_text, 1},
    {"named", ".edn", &format_edn, 1},
    {"named", ".jsonl", &format_json, 1},
    {"real", ".txt", &format_text, 2},
    {"real", ".bincode", &format_dbcop, 20},
    {"real", ".cobra", &format_cobra, 1},
    {"bench", ".bincode", &format_dbcop, 8},
    {"bench", ".cobra", &format_cobra, 4},
    {"edn", ".edn", &format_edn, 1},
    {"edn", ".json", &format_json, 1},
    {"traces", ".txt", &format_trace, 4},
};

static bool
ends_in(const char *name, const char *suffix)
{
    const size_t n = strlen(name), k = strlen(suffix);
    return n > k && strcmp(name + n - k, suffix) == 0;
}

/* Write h in every format that holds it. */
static size_t
convert(const struct history *h, const struct scratch *scratch)
{
    size_t n = 0;
    for (size_t f = 0; format_table[f]; f++) {
        const struct format *format = format_table[f];
        struct err err = {0};
        char path[512];
        if (!format->write || !format->holds(h, &err))
            continue;
        scratch_path(scratch, format->name, path, sizeof path);
        CHECK(survives(h, format, path));
        remove_path(path, 1);
        n++;
    }
    return n;
}

static bool
read_file(const char *path, const struct expectation *e, struct history *h)
{
    struct err err = {0};
    const struct format *used = NULL;
    const bool ok = format_read(path, "auto", 1, h, &used, &err);
    char message[1024];
    err_format(&err, message, sizeof message);
    if (!ok)
        printf("# %s\n", message);
    else if (used != e->format)
        printf("# %s is taken for %s\n", path, used->name);
    CHECK(ok);
    CHECK(!ok || used == e->format);
    return ok;
}

/* Read all files that the expectation is about; how many there are. */
static size_t
check_folder(const char *corpus, const struct expectation *e,
             const struct scratch *scratch)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s", corpus, e->folder);
    DIR *dir = opendir(path.at);
    const struct dirent *entry;
    size_t n = 0, conversions = 0;
    while (dir && (entry = readdir(dir))) {
        struct history h;
        if (!ends_in(entry->d_name, e->suffix))
            continue;
        buf_clear(&path);
        buf_printf(&path, "%s/%s/%s", corpus, e->folder, entry->d_name);
        if (!read_file(path.at, e, &h))
            continue;
        if (n++ % e->every == 0)
            conversions += convert(&h, scratch);
        history_free(&h);
    }
    if (dir)
        closedir(dir);
    printf("# %s/*%s: %zu read, %zu conversions\n", e->folder, e->suffix, n,
           conversions);
    buf_free(&path);
    return n;
}

static void
every_history_is_recognised_and_read(void)
{
    const char *root = getenv("SOURCE_ROOT");
    struct buf corpus = {0};
    struct stat st;
    buf_printf(&corpus, "%s/../shared/corpus", root ? root : ".");
    if (stat(corpus.at, &st) != 0) {
        SKIP("the corpus is not here");
    } else {
        struct scratch scratch;
        scratch_init(&scratch);
        for (size_t i = 0; i < sizeof EXPECTATIONS / sizeof *EXPECTATIONS; i++)
            CHECK(check_folder(corpus.at, &EXPECTATIONS[i], &scratch) > 0);
        scratch_free(&scratch);
    }
    buf_free(&corpus);
}

int
main(void)
{
    RUN(every_history_is_recognised_and_read);
    return test_end();
}
