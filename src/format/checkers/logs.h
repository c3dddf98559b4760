/* logs.h -- a directory that holds one *.log file per session.
 *
 * Other files are left alone.  The sessions are ordered by the number in the
 * file's name (T10.log comes behind T9.log), files without one behind by name,
 * so that a history does not depend on the order of the directory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_CHECKERS_LOGS_H
#define FORMAT_CHECKERS_LOGS_H

#include "base/arena.h"
#include "base/vec.h"
#include "format/input.h"

struct log_file {
    const char *path, *stem; // in the arena; T10 of T10.log
    bool has_number;
    uint64_t number;
    struct input in;
};

struct logs {
    struct log_file *at;
    size_t n, room;
    struct arena arena;
};

/* Find the logs of a directory, which must have one. */
bool logs_list(struct logs *logs, const char *directory, struct err *err);

/* Open them all; two with the same number are an error. */
bool logs_open(struct logs *logs, struct err *err);

void logs_free(struct logs *logs);

#endif
