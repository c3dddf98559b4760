/* outfile.c -- see outfile.h.
 *
 * SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE // realpath
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool
cannot_write(const struct outfile *o, struct err *err)
{
    err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    return err_in_file(err, o->path);
}

/* Make a file that did not exist: what stands there, which may be a link that
 * stands in the way, is removed and not followed. */
static int
create(const char *path)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int fd = open(path, flags, 0666);
    return fd < 0 && errno == EEXIST && unlink(path) == 0
               ? open(path, flags, 0666)
               : fd;
}

/* Fill in where the file goes, and where it is until then. */
static void
choose_places(struct outfile *o, const char *path)
{
    struct stat st;
    char real[PATH_MAX];
    *o = (struct outfile){.path = path};
    const bool exists = stat(path, &st) == 0;
    buf_text(&o->target, exists && realpath(path, real) ? real : path);
    if (!exists || S_ISREG(st.st_mode))
        buf_printf(&o->temporary, "%s.partial", o->target.at);
}

bool
outfile_open(struct outfile *o, const char *path, struct err *err)
{
    choose_places(o, path);
    const int fd = o->temporary.n ? create(o->temporary.at)
                                  : open(path, O_WRONLY | O_CLOEXEC);
    o->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (o->file)
        return true;
    cannot_write(o, err);
    buf_free(&o->target);
    buf_free(&o->temporary);
    return false;
}

bool
outfile_close(struct outfile *o, bool ok, struct err *err)
{
    if (fclose(o->file) != 0 && ok)
        ok = cannot_write(o, err);
    if (ok && o->temporary.n && rename(o->temporary.at, o->target.at) != 0)
        ok = cannot_write(o, err);
    if (!ok && o->temporary.n)
        (void)unlink(o->temporary.at);
    buf_free(&o->target);
    buf_free(&o->temporary);
    return ok;
}

void
outfile_discard(const char *path)
{
    struct outfile o;
    choose_places(&o, path);
    if (o.temporary.n)
        (void)unlink(o.temporary.at);
    buf_free(&o.target);
    buf_free(&o.temporary);
}

bool
outfile_write(const char *path, const struct buf *text, struct err *err)
{
    struct outfile o;
    if (!outfile_open(&o, path, err))
        return false;
    bool ok = fwrite(text->at, 1, text->n, o.file) == text->n;
    if (!ok)
        cannot_write(&o, err);
    return outfile_close(&o, ok, err);
}
