/* unnamed_file.h -- a temporary file without a name in any directory.
 *
 * The name is removed as soon as the file is open, so nothing is left of it
 * however the program ends.  Code that takes a path uses the path of the
 * descriptor, which holds in this process only.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_UNNAMED_FILE_H
#define BASE_UNNAMED_FILE_H

#include "base/buf.h"
#include "base/err.h"

/* Make one in TMPDIR, or /tmp.  Appends its path to 'path', and sets *fd, which
 * the caller closes. */
bool unnamed_file_open(struct buf *path, int *fd, struct err *err);

#endif
