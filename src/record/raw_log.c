/* raw_log.c -- see raw_log.h.
 *
 * SPDX-License-Identifier: MIT */
#include "record/raw_log.h"

#include "base/time.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAGIC "assay raw 1\n"

struct header {
    double time;
    uint32_t connection, n;
    char from, letter, pad[6];
};

static bool
fail(struct raw_log *l, struct err *err)
{
    return err_set(err, ERR_IO, "%s: %s", l->path, strerror(l->why));
}

bool
raw_log_open(struct raw_log *l, const char *path, struct err *err)
{
    *l = (struct raw_log){.path = path};
    l->fd =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    if (l->fd < 0) {
        l->why = errno;
        return fail(l, err);
    }
    buf_text(&l->waiting, MAGIC);
    return true;
}

void
raw_log_add(struct raw_log *l, uint32_t connection, char from, char letter,
            const char *body, size_t n)
{
    struct header h;
    memset(&h, 0, sizeof h);
    h.time = time_now();
    h.connection = connection;
    h.n = (uint32_t)n;
    h.from = from;
    h.letter = letter;
    buf_add(&l->waiting, (const char *)&h, sizeof h);
    buf_add(&l->waiting, body, n);
    buf_char(&l->waiting, 0);
}

bool
raw_log_flush(struct raw_log *l, struct err *err)
{
    size_t done = 0;
    while (!l->why && done < l->waiting.n) {
        const ssize_t n =
            write(l->fd, l->waiting.at + done, l->waiting.n - done);
        if (n < 0 && errno != EINTR)
            l->why = errno;
        else if (n > 0)
            done += (size_t)n;
    }
    buf_clear(&l->waiting);
    return !l->why || fail(l, err);
}

bool
raw_log_close(struct raw_log *l, struct err *err)
{
    const bool ok = raw_log_flush(l, err);
    buf_free(&l->waiting);
    close(l->fd);
    return ok;
}

/* --- reading ---------------------------------------------------------------*/

bool
raw_reader_open(struct raw_reader *r, const char *path, struct err *err)
{
    *r = (struct raw_reader){0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    char block[1 << 16];
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;)
        buf_add(&r->text, block, n);
    const bool failed = ferror(f) != 0;
    fclose(f);
    r->at = strlen(MAGIC);
    if (!failed && r->text.n >= r->at && memcmp(r->text.at, MAGIC, r->at) == 0)
        return true;
    raw_reader_close(r);
    return err_set(err, ERR_SYNTAX, "%s: not the log of 'assay record'", path);
}

bool
raw_reader_next(struct raw_reader *r, struct raw_entry *out)
{
    struct header h;
    if (r->text.n - r->at < sizeof h)
        return false;
    memcpy(&h, r->text.at + r->at, sizeof h);
    if (r->text.n - r->at - sizeof h < (size_t)h.n + 1)
        return false;
    *out = (struct raw_entry){.connection = h.connection,
                              .time = h.time,
                              .from = h.from,
                              .letter = h.letter,
                              .body = r->text.at + r->at + sizeof h,
                              .n = h.n};
    r->at += sizeof h + h.n + 1;
    return true;
}

void
raw_reader_close(struct raw_reader *r)
{
    buf_free(&r->text);
}
