/* history_file.c -- see history_file.h.
 *
 * SPDX-License-Identifier: MIT */
#include "pipeline/history_file.h"

#include "base/unnamed_file.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
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

static bool
is_empty(const char *path)
{
    DIR *dir = opendir(path);
    size_t n = 0;
    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return dir && n <= 2; // itself, and the one above it
}

bool
history_file_open_directory(struct history_file *r, const char *path,
                            struct err *err)
{
    *r = (struct history_file){.keep = path};
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        err_set(err, ERR_IO, "cannot make the directory: %s", strerror(errno));
        return err_in_file(err, path);
    }
    if (!is_empty(path)) {
        err_set(err, ERR_USAGE, "expected a new or an empty directory");
        return err_in_file(err, path);
    }
    buf_text(&r->path, path);
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
