/* lines.c -- see lines.h.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/input/lines.h"

#include "base/container/hash.h"
#include "format/unpack/unpack_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 18, PEEK = 4096 };

bool
lines_open(struct stream_lines *l, const char *path, struct err *err)
{
    *l = (struct stream_lines){.name = path, .fd = -1};
    if (strcmp(path, "-") == 0) {
        l->name = "stdin";
        l->fd = STDIN_FILENO;
        return true;
    }
    struct stat st;
    l->fd = open(path, O_RDONLY | O_CLOEXEC);
    l->is_file = l->fd >= 0 && fstat(l->fd, &st) == 0 && S_ISREG(st.st_mode);
    return l->fd >= 0 || (err_set(err, ERR_IO, "%s", strerror(errno)),
                          err_in_file(err, path));
}

void
lines_of_text(struct stream_lines *l, const char *name, const char *text,
              size_t n)
{
    *l = (struct stream_lines){.name = name, .fd = -1, .is_at_end = true};
    vec_reserve(&l->buffer, n + 1);
    memcpy(l->buffer.at, text, n);
    l->buffer.n = n;
}

void
lines_close(struct stream_lines *l)
{
    if (l->fd > STDIN_FILENO)
        close(l->fd);
    if (l->unpack)
        unpack_stream_end(l->unpack);
    vec_free(&l->buffer);
    vec_free(&l->packed);
    vec_free(&l->last);
    *l = (struct stream_lines){.fd = -1};
}

bool
lines_offset(const struct stream_lines *l, uint64_t *out)
{
    const off_t at = l->is_file && !l->unpack ? lseek(l->fd, 0, SEEK_CUR) : -1;
    if (at < 0)
        return false;
    *out = (uint64_t)at - (l->buffer.n - l->at);
    return true;
}

bool
lines_go_to(struct stream_lines *l, uint64_t offset, uint64_t number,
            struct err *err)
{
    struct stat st;
    assert(!l->buffer.n);
    l->number = number;
    if (!l->is_file || fstat(l->fd, &st) < 0 || (uint64_t)st.st_size < offset ||
        lseek(l->fd, (off_t)offset, SEEK_SET) < 0) {
        err_set(err, ERR_SYNTAX,
                "shorter than it was when the checkpoint was written");
        return err_in_file(err, l->name);
    }
    return true;
}

uint64_t
lines_hash_before(const struct stream_lines *l, uint64_t offset)
{
    char bytes[PEEK];
    const size_t n = offset < PEEK ? (size_t)offset : PEEK;
    const ssize_t got = pread(l->fd, bytes, n, (off_t)(offset - n));
    return hash_bytes(bytes, got < 0 ? 0 : (size_t)got);
}

/* Read more into the end of a buffer; *n is 0 at the end of the file. */
static bool
read_more(struct stream_lines *l, char *to, size_t room, size_t *n,
          struct err *err)
{
    for (;;) {
        const ssize_t got = read(l->fd, to, room);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            err_set(err, ERR_IO, "cannot read: %s", strerror(errno));
            return err_in_file(err, l->name);
        }
        *n = (size_t)got;
        return true;
    }
}

/* Drop what was taken, and make room for a block. */
static void
make_room(struct stream_lines *l)
{
    if (l->at) {
        memmove(l->buffer.at, l->buffer.at + l->at, l->buffer.n - l->at);
        l->buffer.n -= l->at;
        l->at = 0;
    }
    vec_reserve(&l->buffer, l->buffer.n + BLOCK);
}

/* Get packed bytes where all were unpacked. */
static bool
fill_packed(struct stream_lines *l, bool *is_over, struct err *err)
{
    size_t n = 0;
    *is_over = false;
    if (l->packed_at < l->packed.n)
        return true;
    vec_reserve(&l->packed, BLOCK);
    if (!read_more(l, l->packed.at, BLOCK, &n, err))
        return false;
    l->packed.n = n;
    l->packed_at = 0;
    *is_over = !n;
    return true;
}

static bool
unpack_more(struct stream_lines *l, struct err *err)
{
    for (;;) {
        bool is_over;
        if (!fill_packed(l, &is_over, err))
            return false;
        struct unpack_chunk c = {.in = l->packed.at + l->packed_at,
                                 .in_n = l->packed.n - l->packed_at,
                                 .out = l->buffer.at + l->buffer.n,
                                 .out_room = BLOCK};
        if (!unpack_stream_step(l->unpack, &c, err))
            return err_in_file(err, l->name);
        l->packed_at += c.taken;
        l->buffer.n += c.made;
        if (c.made)
            return true;
        if (!is_over)
            continue;
        l->is_at_end = true;
        return unpack_stream_is_complete(l->unpack) ||
               (err_set(err, ERR_SYNTAX,
                        "the compressed data ends before it is complete"),
                err_in_file(err, l->name));
    }
}

/* Read or unpack more bytes, or find out that there are none. */
static bool
fill(struct stream_lines *l, struct err *err)
{
    size_t n = 0;
    make_room(l);
    if (l->unpack)
        return unpack_more(l, err);
    if (!read_more(l, l->buffer.at + l->buffer.n, BLOCK, &n, err))
        return false;
    l->buffer.n += n;
    l->is_at_end = !n;
    return true;
}

/* Unpack from here on, if these bytes are compressed. */
static bool
begin_unpacking(struct stream_lines *l, struct err *err)
{
    if (!unpack_recognises(l->buffer.at, l->buffer.n))
        return true;
    l->unpack = unpack_stream_begin(l->buffer.at, l->buffer.n, err);
    if (!l->unpack)
        return err_in_file(err, l->name);
    vec_reserve(&l->packed, l->buffer.n);
    memcpy(l->packed.at, l->buffer.at, l->buffer.n);
    l->packed.n = l->buffer.n;
    l->buffer.n = 0;
    l->is_at_end = false;
    return true;
}

bool
lines_peek(struct stream_lines *l, const char **text, size_t *n,
           struct err *err)
{
    const bool is_text = l->fd < 0;
    while (!l->is_at_end && l->buffer.n < PEEK)
        if (!fill(l, err))
            return false;
    if (!is_text && !l->unpack && !begin_unpacking(l, err))
        return false;
    while (!l->is_at_end && l->buffer.n < PEEK)
        if (!fill(l, err))
            return false;
    *text = l->buffer.at;
    *n = l->buffer.n;
    return true;
}

/* Whether a text is one whole JSON object. */
static bool
is_object(const char *at, const char *end)
{
    size_t depth = 0;
    bool in_text = false;
    for (const char *first = at; at < end; at++) {
        if (in_text && *at == '\\')
            at++;
        else if (*at == '"')
            in_text = !in_text;
        else if (!in_text && *at == '{')
            depth++;
        else if (!in_text && *at == '}' && depth && !--depth)
            return at + 1 == end && *first == '{';
    }
    return false;
}

/* A recorder may write through a mapping (collect/journal.c): the file is
 * longer than what was written, and the rest is line ends or zero.  Find out
 * how many of the n bytes at the end of the buffer were written.  Text is, up
 * to the last of it; a line end behind it is, if the line is complete. */
static size_t
count_written(const struct stream_lines *l, size_t n)
{
    const char *const first = l->buffer.at + l->at;
    const char *const from = l->buffer.at + l->buffer.n;
    const char *end = from + n;
    while (end > from && (end[-1] == '\n' || !end[-1]))
        end--;
    const char *line = end;
    while (line > first && line[-1] != '\n')
        line--;
    const bool has_end = end < from + n && *end == '\n';
    return (size_t)(end - from) + (has_end && is_object(line, end));
}

/* Read the bytes that were not written again later. */
static bool
drop_unwritten(struct stream_lines *l, size_t *n, struct err *err)
{
    const size_t written = count_written(l, *n);
    if (written < *n && lseek(l->fd, -(off_t)(*n - written), SEEK_CUR) < 0) {
        err_set(err, ERR_IO, "cannot seek: %s", strerror(errno));
        return err_in_file(err, l->name);
    }
    *n = written;
    return true;
}

/* Read what a followed input has at the moment. */
static bool
fill_followed(struct stream_lines *l, struct err *err)
{
    struct pollfd ready = {.fd = l->fd, .events = POLLIN};
    size_t n = 0;
    l->is_waiting = !l->is_file && poll(&ready, 1, 0) == 0;
    if (l->is_waiting)
        return true;
    make_room(l);
    if (!read_more(l, l->buffer.at + l->buffer.n, BLOCK, &n, err) ||
        (l->is_file && !drop_unwritten(l, &n, err)))
        return false;
    l->buffer.n += n;
    l->is_waiting = l->is_file && !n;
    l->is_at_end = !l->is_file && !n;
    return true;
}

static bool
take_line(struct stream_lines *l, const char **line, size_t *n, struct err *err)
{
    size_t searched = 0;
    *line = NULL;
    l->is_waiting = false;
    for (;;) {
        const char *at = l->buffer.at + l->at;
        const size_t left = l->buffer.n - l->at;
        const char *end = left > searched
                              ? memchr(at + searched, '\n', left - searched)
                              : NULL;
        if (!end && !l->is_at_end) {
            searched = left;
            if (!(l->is_followed ? fill_followed(l, err) : fill(l, err)))
                return false;
            if (l->is_waiting)
                return true;
            continue;
        }
        if (!end && !left)
            return true;
        *line = at;
        *n = end ? (size_t)(end - at) : left;
        l->at += *n + (end ? 1 : 0);
        l->next += *n + (end ? 1 : 0);
        l->number++;
        return true;
    }
}

/* --- ranges ----------------------------------------------------------------*/

/* The last two fields of a line, from the comma before them on. */
static const char *
last_fields(const char *line, size_t n, size_t *length)
{
    const char *at = line + n;
    for (int commas = 0; at > line && commas < 2;)
        commas += *--at == ',';
    *length = (size_t)(line + n - at);
    return at;
}

static bool
belongs_to_last(const struct stream_lines *l, const char *line, size_t n)
{
    size_t m;
    const char *fields = last_fields(line, n, &m);
    return l->is_joined && l->last.n && l->last.n == m &&
           memcmp(l->last.at, fields, m) == 0;
}

static void
note_last(struct stream_lines *l, const char *line, size_t n)
{
    size_t m;
    const char *fields = last_fields(line, n, &m);
    vec_clear(&l->last);
    vec_grow(&l->last, m);
    memcpy(l->last.at, fields, m);
}

/* Give back the line that was taken last. */
static void
give_back(struct stream_lines *l, uint64_t begin)
{
    l->at -= (size_t)(l->next - begin);
    l->next = begin;
    l->number--;
}

bool
lines_take_range(struct stream_lines *l, uint64_t from, uint64_t to,
                 bool joined, struct err *err)
{
    const char *line;
    size_t n;
    uint64_t begin = 0;
    l->is_joined = joined;
    l->limit = to;
    if (!from)
        return true;
    if (!l->is_file || l->unpack || l->buffer.n)
        return err_set(err, ERR_FEATURE, "not a plain file");
    l->next = from > PEEK ? from - PEEK : 0;
    if (lseek(l->fd, (off_t)l->next, SEEK_SET) < 0)
        return err_set(err, ERR_IO, "cannot seek: %s", strerror(errno));
    // The first line may be the rest of one.
    if (l->next && !take_line(l, &line, &n, err))
        return false;
    for (;;) {
        begin = l->next;
        if (!take_line(l, &line, &n, err))
            return false;
        if (!line)
            return true;
        if (begin >= from && !belongs_to_last(l, line, n))
            break;
        note_last(l, line, n);
    }
    give_back(l, begin);
    return !joined || l->last.n ||
           err_set(err, ERR_FEATURE, "a line is too long");
}

bool
lines_next(struct stream_lines *l, const char **line, size_t *n,
           struct err *err)
{
    const uint64_t begin = l->next;
    if (!take_line(l, line, n, err))
        return false;
    if (!l->limit || !*line)
        return true;
    if (begin >= l->limit && !belongs_to_last(l, *line, *n)) {
        give_back(l, begin);
        *line = NULL;
    } else if (l->is_joined) {
        note_last(l, *line, *n);
    }
    return true;
}
