/* logs.c -- see logs.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/checkers/logs.h"

#include "base/limits/context.h"

#include "base/buf.h"
#include "format/scan/decimal.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The number in a name like T10: its first digits. */
static bool
find_number(const char *stem, uint64_t *number)
{
    const size_t before = strcspn(stem, "0123456789");
    const size_t digits = strspn(stem + before, "0123456789");
    return parse_decimal(stem + before, digits, number);
}

static bool
is_log(const char *name)
{
    const size_t len = strlen(name);
    return len > 4 && strcmp(name + len - 4, ".log") == 0;
}

static void
add_log(struct logs *logs, const char *directory, const char *name)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s", directory, name);
    struct log_file log = {.path = arena_copy(&logs->arena, path.at, path.n)};
    log.stem = arena_copy(&logs->arena, name, strlen(name) - 4);
    log.has_number = find_number(log.stem, &log.number);
    vec_push(logs, log);
    buf_free(&path);
}

/* By number; files without a number come last, by name. */
static int
compare_logs(const void *a, const void *b)
{
    const struct log_file *x = a, *y = b;
    if (x->has_number != y->has_number)
        return x->has_number ? -1 : 1;
    if (x->has_number && x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void
close_directory(void *dir)
{
    closedir(dir);
}

bool
logs_list(struct logs *logs, const char *directory, struct err *err)
{
    DIR *dir = opendir(directory);
    if (!dir)
        return err_set(err, ERR_IO, "%s", strerror(errno));
    context_defer(close_directory, dir);
    const struct dirent *entry;
    while ((entry = readdir(dir)))
        if (is_log(entry->d_name))
            add_log(logs, directory, entry->d_name);
    context_undefer();
    closedir(dir);
    if (!logs->n)
        return err_set(err, ERR_SYNTAX, "a directory without *.log files");
    qsort(logs->at, logs->n, sizeof *logs->at, compare_logs);
    return true;
}

static bool
open_log(struct log_file *log, const struct log_file *before, struct err *err)
{
    if (before && log->has_number && before->has_number &&
        log->number == before->number)
        err_set(err, ERR_SYNTAX,
                "this file and '%s.log' both name session %" PRIu64,
                before->stem, log->number);
    else if (input_open(&log->in, log->path, err) && log->in.is_directory)
        err_set(err, ERR_SYNTAX, "a directory, expected a file");
    return err->kind == ERR_NONE || err_in_file(err, log->path);
}

bool
logs_open(struct logs *logs, struct err *err)
{
    for (size_t i = 0; i < logs->n; i++)
        if (!open_log(&logs->at[i], i ? &logs->at[i - 1] : NULL, err))
            return false;
    return true;
}

void
logs_free(struct logs *logs)
{
    for (size_t i = 0; i < logs->n; i++)
        input_close(&logs->at[i].in);
    vec_free(logs);
    arena_free(&logs->arena);
}
