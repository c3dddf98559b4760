/* logs.h -- a directory that holds one *.log file per session.
 *
 * Other files are ignored.  The sessions are ordered by the number in the
 * file's name (T10.log comes after T9.log); files without a number come last,
 * by name.  So a history does not depend on the order of the directory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_CHECKERS_LOGS_H
#define FORMAT_CHECKERS_LOGS_H

#include "base/container/vec.h"
#include "base/memory/arena.h"
#include "format/input.h"

struct log_file {
    const char *path, *stem; // in the arena; the stem of T10.log is T10
    bool has_number;
    uint64_t number;
    struct input in;
};

struct logs {
    struct log_file *at;
    size_t n, room;
    struct arena arena;
};

/* Find the logs of a directory; it is an error if there are none. */
bool logs_list(struct logs *logs, const char *directory, struct err *err);

/* Open them all; two with the same number are an error. */
bool logs_open(struct logs *logs, struct err *err);

void logs_free(struct logs *logs);

#endif
