/* scratch.c -- see scratch.h.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/scratch.h"

#include "base/buf.h"
#include "base/memory/mem.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *
copy_text(const char *text)
{
    const size_t n = strlen(text) + 1;
    return memcpy(mem_alloc(n, 1), text, n);
}

bool
scratch_open(struct scratch *s, const char *path, struct err *err)
{
    assert(!s->path && !s->directory);
    if (*path) {
        s->path = copy_text(path);
        return true;
    }
    const char *parent = getenv("TMPDIR");
    struct buf name = {0};
    buf_printf(&name, "%s/assay-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(name.at)) {
        buf_free(&name);
        return err_set(err, ERR_IO, "cannot make a temporary directory: %s",
                       strerror(errno));
    }
    s->directory = copy_text(name.at);
    buf_text(&name, "/test.db");
    s->path = copy_text(name.at);
    buf_free(&name);
    return true;
}

void
scratch_close(struct scratch *s, const char *const *suffixes)
{
    if (s->directory) {
        unlink(s->path);
        struct buf name = {0};
        for (size_t i = 0; suffixes[i]; i++) {
            buf_clear(&name);
            buf_printf(&name, "%s%s", s->path, suffixes[i]);
            unlink(name.at);
        }
        buf_free(&name);
        rmdir(s->directory);
    }
    mem_free(s->directory);
    mem_free(s->path);
    *s = (struct scratch){0};
}
