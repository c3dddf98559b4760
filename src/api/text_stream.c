/* text_stream.c -- see text_stream.h.
 *
 * Writers of formats write to a FILE.  The C library collects the text in a
 * block of its own, which is freed here also where the work is abandoned.
 *
 * SPDX-License-Identifier: MIT */
#include "api/text_stream.h"

#include "base/limits/context.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct stream {
    FILE *file;
    char *at;
    size_t n;
};

static void
close_stream(void *self)
{
    struct stream *s = self;
    if (s->file)
        fclose(s->file);
    s->file = NULL;
    free(s->at);
}

/* Write to the stream and copy its text. */
static bool
write_through(struct stream *s, const struct history *h,
              const struct format *format, struct buf *out, struct err *err)
{
    s->file = open_memstream(&s->at, &s->n);
    if (!s->file)
        return err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    if (!format->write(h, &(struct output){NULL, s->file}, err))
        return false;
    const bool ok = fclose(s->file) == 0;
    s->file = NULL;
    if (!ok)
        return err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    buf_add(out, s->at, s->n);
    return true;
}

bool
text_stream_history(const struct history *h, const struct format *format,
                    struct buf *out, struct err *err)
{
    struct stream s = {0};
    if (!format->write || format->writes_directory)
        return err_set(err, ERR_FEATURE, "format '%s' is no text",
                       format->name);
    if (!format->holds(h, err))
        return false;
    context_defer(close_stream, &s);
    const bool ok = write_through(&s, h, format, out, err);
    context_undefer();
    close_stream(&s);
    return ok;
}
