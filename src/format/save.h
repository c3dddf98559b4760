/* save.h -- write a buffer to a file.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SAVE_H
#define FORMAT_SAVE_H

#include "base/buf.h"
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Write all of b to file and empty b. */
static inline bool
save_all(struct buf *b, FILE *file, struct err *err)
{
    if (b->n && fwrite(b->at, 1, b->n, file) != b->n)
        return err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    buf_clear(b);
    return true;
}

/* The same, but only if b is large enough for a system call. */
static inline bool
save_some(struct buf *b, FILE *file, struct err *err)
{
    return b->n < 1 << 16 || save_all(b, file, err);
}

#endif
