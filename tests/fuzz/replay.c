/* replay.c -- run inputs that are at hand through fuzz_one.
 *
 * Those of tests/corpus/<format>/ are seeds, and what the fuzzer found worth
 * keeping, so that a fixed mistake stays fixed without a fuzzer at hand; those
 * of tests/bad/<format>/ are malformed in ways that people thought of.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "format/support.h"
#include "test.h"

enum { INPUTS_LEAST = 2 }; // of each format

static size_t
replay_folder(const struct format *format, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    struct buf path = {0};
    size_t n = 0;
    while (dir && (entry = readdir(dir))) {
        struct err err = {0};
        if (entry->d_name[0] == '.')
            continue;
        buf_clear(&path);
        buf_printf(&path, "%s/%s", folder, entry->d_name);
        struct input in;
        CHECK(input_open(&in, path.at, &err));
        if (in.is_directory)
            continue;
        fuzz_one(format, in.data, in.size);
        input_close(&in);
        n++;
    }
    if (dir)
        closedir(dir);
    buf_free(&path);
    return n;
}

/* Replay tests/<kind>/<format>/ for all formats. */
static void
replay_all(const char *kind)
{
    const char *root = getenv("SOURCE_ROOT");
    struct buf folder = {0};
    for (size_t f = 0; format_table[f]; f++) {
        buf_clear(&folder);
        buf_printf(&folder, "%s/tests/%s/%s", root ? root : ".", kind,
                   format_table[f]->name);
        const size_t n = replay_folder(format_table[f], folder.at);
        printf("# %s: %zu inputs\n", format_table[f]->name, n);
        CHECK(n >= INPUTS_LEAST);
    }
    buf_free(&folder);
}

static void
every_seed_is_read_without_surprise(void)
{
    replay_all("corpus");
}

static void
every_mistake_is_read_without_surprise(void)
{
    replay_all("bad");
}

int
main(void)
{
    RUN(every_seed_is_read_without_surprise);
    RUN(every_mistake_is_read_without_surprise);
    return test_end();
}
