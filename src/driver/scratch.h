/* scratch.h -- where an embedded database has its file: at a path of the
 * user's, or in a temporary directory that goes with it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_SCRATCH_H
#define DRIVER_SCRATCH_H

#include "base/err.h"

/* All-zero is none. */
struct scratch {
    char *path;
    char *directory; // made for it, or NULL
};

/* The file at 'path'; where that is "", test.db in a directory that is made
 * now and that nobody else can look into. */
bool scratch_open(struct scratch *s, const char *path, struct err *err);

/* Forget the path.  Where the directory was made, remove it, with the file and
 * what the database keeps beside it under the file's name and a suffix; the
 * suffixes end in NULL. */
void scratch_close(struct scratch *s, const char *const *suffixes);

#endif
