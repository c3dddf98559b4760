/* history_file.c -- see history_file.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/history_file.h"

#include "base/unnamed_file.h"

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
    return unnamed_file_open(&r->path, &r->fd, err);
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
