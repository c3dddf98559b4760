/* fuzz.c -- see fuzz.h.
 *
 * A directory is fuzzed as one input: the files in it stand one behind the
 * other with the line "#FILE\n" in between, which no log begins a record with.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "format/survive.h"

static const char NEXT_FILE[] = "#FILE\n";
enum { NEXT_FILE_SIZE = sizeof NEXT_FILE - 1, FILES = 8 };

static void
stop(const struct format *format, const char *why)
{
    fprintf(stderr, "%s: %s\n", format->name, why);
    abort();
}

/* --- directories ---------------------------------------------------------- */

/* Where the next file begins, or the end. */
static size_t
find_next_file(const char *data, size_t size, size_t from)
{
    for (size_t i = from; i + NEXT_FILE_SIZE <= size; i++)
        if (memcmp(data + i, NEXT_FILE, NEXT_FILE_SIZE) == 0)
            return i;
    return size;
}

static void
make_logs(const char *directory, const char *data, size_t size)
{
    size_t begin = 0;
    for (unsigned i = 1; i <= FILES && begin <= size; i++) {
        char path[512];
        const size_t end = find_next_file(data, size, begin);
        snprintf(path, sizeof path, "%s/T%u.log", directory, i);
        put_file(path, data + begin, end - begin);
        begin = end + NEXT_FILE_SIZE;
    }
}

static bool
read_directory(const struct format *format, const char *data, size_t size,
               struct history *h, struct err *err)
{
    struct scratch s;
    scratch_init(&s);
    make_logs(s.path, data, size);
    const bool ok = format_read(s.path, format->name, 1, h, NULL, err);
    scratch_free(&s);
    return ok;
}

static bool
reread_directory(const struct history *h, const struct format *format,
                 struct history *again, struct err *err)
{
    struct scratch s;
    char path[512];
    scratch_init(&s);
    scratch_path(&s, "logs", path, sizeof path);
    const bool ok = format_write(h, format, path, err) &&
                    format_read(path, format->name, 1, again, NULL, err);
    scratch_free(&s);
    return ok;
}

/* --- files ---------------------------------------------------------------- */

static bool
reread_file(const struct history *h, const struct format *format,
            struct history *again, struct err *err)
{
    char *data = NULL;
    size_t size = 0;
    const bool ok = write_memory(h, format, &data, &size, err) &&
                    read_memory(format, data, size, again, err);
    free(data);
    return ok;
}

/* --- both ----------------------------------------------------------------- */

static void
check_round_trip(const struct history *h, const struct format *format)
{
    struct history again;
    struct err err = {0};
    if (!format->write || !format->holds(h, &err))
        return;
    err = (struct err){0};
    if (!(format->writes_directory ? reread_directory
                                   : reread_file)(h, format, &again, &err))
        stop(format, err.text);
    if (is_comparable(h, format) &&
        !same_history(h, &again, what_is_lost(format)))
        stop(format, "what was written is not what is read");
    history_free(&again);
}

static void
check_error(const struct format *format, const struct err *err)
{
    char message[1024];
    if (err->kind == ERR_NONE || !err->text[0])
        stop(format, "failed without an error");
    err_format(err, message, sizeof message);
    for (const char *c = message; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            stop(format, "a message with control characters");
}

void
fuzz_one(const struct format *format, const char *data, size_t size)
{
    struct history h;
    struct err err = {0};
    for (size_t i = 0; format_table[i]; i++)
        (void)sniff_memory(format_table[i], data, size);
    const bool ok = format->writes_directory
                        ? read_directory(format, data, size, &h, &err)
                        : read_memory(format, data, size, &h, &err);
    if (!format->writes_directory && !same_by_full_reader(format, data, size))
        stop(format, "the scan of plain entries changes the result");
    if (!ok) {
        check_error(format, &err);
        return;
    }
    check_round_trip(&h, format);
    for (size_t i = 0; h.rows && format_table[i]; i++)
        if (format_table[i]->keeps & KEEPS_ROWS && format_table[i] != format)
            check_round_trip(&h, format_table[i]);
    history_free(&h);
}
