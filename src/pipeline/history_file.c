/* history_file.c -- see history_file.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/history_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool
history_file_open(struct history_file *r, const char *keep, struct err *err)
{
    *r = (struct history_file){.keep = keep};
    if (keep) {
        buf_text(&r->path, keep);
        return true;
    }
    const char *parent = getenv("TMPDIR");
    buf_printf(&r->path, "%s/assay-XXXXXX",
               parent && *parent ? parent : "/tmp");
    r->fd = mkstemp(r->path.at);
    if (r->fd < 0 || unlink(r->path.at) != 0) {
        err_set(err, ERR_IO, "cannot make a temporary file: %s",
                strerror(errno));
        buf_free(&r->path);
        return false;
    }
    buf_clear(&r->path);
    buf_printf(&r->path, "/proc/self/fd/%d", r->fd);
    return true;
}

void
history_file_number(struct history_file *r, size_t n)
{
    if (!r->keep)
        return;
    const char *name = strrchr(r->keep, '/');
    const char *dot = strrchr(name ? name : r->keep, '.');
    const size_t stem = dot ? (size_t)(dot - r->keep) : strlen(r->keep);
    buf_clear(&r->path);
    buf_add(&r->path, r->keep, stem);
    buf_printf(&r->path, "-%zu%s", n, r->keep + stem);
}

void
history_file_close(struct history_file *r)
{
    if (!r->keep && r->path.n)
        close(r->fd);
    buf_free(&r->path);
}
