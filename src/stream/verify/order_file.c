/* order_file.c -- see order_file.h.
 *
 * The file may come from anywhere.  Everything can be written in one way only:
 * one space between words, no leading zeros.
 *
 * SPDX-License-Identifier: MIT */
#include "stream/verify/order_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

/* --- writing ---------------------------------------------------------------*/

bool
order_writer_open(struct order_writer *w, const char *path,
                  const struct order_header *header, struct err *err)
{
    *w = (struct order_writer){0};
    if (!outfile_open(&w->file, path, err))
        return false;
    fprintf(w->file.file,
            ORDER_FILE_MAGIC "\nlevel %s\nwait %" PRIu64 "\nwindow %" PRIu64
                             "\n",
            level_table[header->level].name, header->wait, header->window);
    return true;
}

static void
write_places(struct order_writer *w)
{
    if (!w->is_open)
        return;
    w->is_open = false;
    if (w->first == w->last)
        fprintf(w->file.file, "place %" PRIu64 "\n", w->first);
    else
        fprintf(w->file.file, "place %" PRIu64 "-%" PRIu64 "\n", w->first,
                w->last);
}

void
order_writer_place(struct order_writer *w, uint64_t number)
{
    w->n++;
    if (w->is_open && number == w->last + 1) {
        w->last = number;
        return;
    }
    write_places(w);
    w->first = w->last = number;
    w->is_open = true;
}

bool
order_writer_close(struct order_writer *w, bool ok, struct err *err)
{
    write_places(w);
    fprintf(w->file.file, "end %" PRIu64 "\n", w->n);
    return outfile_close(&w->file, ok, err);
}

/* --- reading ---------------------------------------------------------------*/

bool
order_file_is(const char *path)
{
    char text[sizeof ORDER_FILE_MAGIC];
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t n = read(fd, text, sizeof text);
    close(fd);
    return n == sizeof text &&
           memcmp(text, ORDER_FILE_MAGIC "\n", sizeof text) == 0;
}

static bool
expected(const struct order_reader *r, const char *what, const char *line,
         size_t n, struct err *err)
{
    char quoted[ERR_QUOTE_ROOM];
    if (!line)
        err_set(err, ERR_SYNTAX, "the certificate ends before 'end'");
    else
        err_set(err, ERR_SYNTAX, "expected %s, found '%s'", what,
                err_quote(quoted, sizeof quoted, line, n));
    return err_at_line(err, r->lines.number + !line, 1);
}

static bool
take_word(const char **at, const char *end, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(end - *at) < n || memcmp(*at, word, n) != 0)
        return false;
    *at += n;
    return true;
}

static bool
take_number(const char **at, const char *end, uint64_t *out)
{
    const char *start = *at;
    uint64_t x = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
        const uint64_t digit = (uint64_t)(**at - '0');
        if (x > (UINT64_MAX - digit) / 10)
            return false;
        x = 10 * x + digit;
    }
    *out = x;
    return *at > start && (*start != '0' || *at == start + 1);
}

/* A line that is a word and a number. */
static bool
read_count(struct order_reader *r, const char *word, uint64_t *out,
           struct err *err)
{
    const char *line;
    size_t n;
    if (!lines_next(&r->lines, &line, &n, err))
        return false;
    const char *at = line;
    return (line && take_word(&at, line + n, word) &&
            take_number(&at, line + n, out) && at == line + n) ||
           expected(r, word, line, n, err);
}

static bool
read_level(struct order_reader *r, enum level *out, struct err *err)
{
    const char *line;
    size_t n;
    if (!lines_next(&r->lines, &line, &n, err))
        return false;
    const char *at = line;
    if (line && take_word(&at, line + n, "level "))
        for (enum level l = 0; l < LEVELS; l++)
            if (strlen(level_table[l].name) == (size_t)(line + n - at) &&
                memcmp(level_table[l].name, at, (size_t)(line + n - at)) == 0) {
                *out = l;
                return true;
            }
    return expected(r, "'level' and the name of a level", line, n, err);
}

bool
order_reader_open(struct order_reader *r, const char *path,
                  struct order_header *header, struct err *err)
{
    const char *line;
    size_t n;
    *r = (struct order_reader){0};
    const bool ok = lines_open(&r->lines, path, err) &&
                    lines_next(&r->lines, &line, &n, err) &&
                    ((line && n == strlen(ORDER_FILE_MAGIC) &&
                      memcmp(line, ORDER_FILE_MAGIC, n) == 0) ||
                     expected(r, "'" ORDER_FILE_MAGIC "'", line, n, err)) &&
                    read_level(r, &header->level, err) &&
                    read_count(r, "wait ", &header->wait, err) &&
                    read_count(r, "window ", &header->window, err);
    if (!ok)
        order_reader_close(r);
    return ok;
}

/* 'end N', and nothing behind it. */
static bool
take_end(struct order_reader *r, const char *at, const char *end,
         struct err *err)
{
    const char *line = at;
    uint64_t count;
    size_t n = (size_t)(end - at);
    if (!take_word(&at, end, "end ") || !take_number(&at, end, &count) ||
        at != end)
        return expected(r, "'place A', 'place A-B' or 'end N'", line, n, err);
    if (count != r->n) {
        err_set(err, ERR_SYNTAX,
                "%" PRIu64 " places at the end, but there are %" PRIu64, count,
                r->n);
        return err_at_line(err, r->lines.number, 1);
    }
    r->is_over = true;
    return lines_next(&r->lines, &line, &n, err) &&
           (!line || expected(r, "nothing after 'end'", line, n, err));
}

static bool
take_line(struct order_reader *r, struct err *err)
{
    const char *line;
    size_t n;
    if (!lines_next(&r->lines, &line, &n, err))
        return false;
    if (!line)
        return expected(r, "", NULL, 0, err);
    const char *at = line, *end = line + n;
    if (!take_word(&at, end, "place "))
        return take_end(r, line, end, err);
    bool ok = take_number(&at, end, &r->next);
    r->last = r->next;
    if (ok && take_word(&at, end, "-"))
        ok = take_number(&at, end, &r->last) && r->last > r->next;
    r->has_places = true;
    return (ok && at == end) ||
           expected(r, "'place A', 'place A-B' or 'end N'", line, n, err);
}

bool
order_reader_next(struct order_reader *r, uint64_t *number, bool *over,
                  struct err *err)
{
    while (!r->has_places && !r->is_over)
        if (!take_line(r, err))
            return false;
    *over = r->is_over;
    if (r->is_over)
        return true;
    *number = r->next;
    r->n++;
    r->has_places = r->next != r->last;
    r->next++;
    return true;
}

void
order_reader_close(struct order_reader *r)
{
    lines_close(&r->lines);
}
