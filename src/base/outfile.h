/* outfile.h -- a file that is there whole, or as it was before.
 *
 * What is written goes into a new file beside the one that is meant, and is
 * moved there when it is complete: a full disk or a kill leaves neither half a
 * file nor a file that was emptied.  What is no plain file, such as a device or
 * a pipe, is written itself; a link stays, and its target is replaced.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdio.h>

struct outfile {
    FILE *file;
    const char *path;     // as it was given; borrowed
    struct buf target;    // where it goes
    struct buf temporary; // where it is until then; empty: there already
};

/* Open 'path' for writing. */
bool outfile_open(struct outfile *o, const char *path, struct err *err);

/* Finish, if all of it was written, or else leave no trace of it.  Fails where
 * !ok, and where the rest cannot be written; err then says so. */
bool outfile_close(struct outfile *o, bool ok, struct err *err);

/* Remove what is left of writing 'path', where it was not closed. */
void outfile_discard(const char *path);

/* All of that for a text that is complete. */
bool outfile_write(const char *path, const struct buf *text, struct err *err);

#endif
