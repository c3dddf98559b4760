/* unnamed_file.c -- see unnamed_file.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/unnamed_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
unnamed_file_open(struct buf *path, int *fd, struct err *err)
{
    struct buf name = {0};
    const char *parent = getenv("TMPDIR");
    buf_printf(&name, "%s/assay-XXXXXX", parent && *parent ? parent : "/tmp");
    *fd = mkstemp(name.at);
    const bool ok = *fd >= 0 && unlink(name.at) == 0;
    const int why = errno;
    buf_free(&name);
    if (ok)
        buf_printf(path, "/proc/self/fd/%d", *fd);
    else if (*fd >= 0)
        close(*fd);
    return ok || err_set(err, ERR_IO, "cannot make a temporary file: %s",
                         strerror(why));
}
