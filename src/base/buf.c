/* buf.c -- see buf.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char *
make_room(struct buf *b, size_t more)
{
    if (b->room - b->n <= more) {
        b->room = b->n + more + b->room / 2 + 64;
        b->at = mem_realloc(b->at, b->room, 1);
    }
    return b->at + b->n;
}

void
buf_add(struct buf *b, const char *text, size_t len)
{
    char *end = make_room(b, len);
    if (len)
        memcpy(end, text, len);
    end[len] = 0;
    b->n += len;
}

void
buf_text(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void
buf_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void
buf_u64(struct buf *b, uint64_t x)
{
    char digits[20];
    size_t i = sizeof digits;
    do
        digits[--i] = (char)('0' + x % 10);
    while (x /= 10);
    buf_add(b, digits + i, sizeof digits - i);
}

void
buf_i64(struct buf *b, int64_t x)
{
    if (x < 0)
        buf_char(b, '-');
    buf_u64(b, x < 0 ? -(uint64_t)x : (uint64_t)x);
}

void
buf_printf(struct buf *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    if (n > 0) {
        vsnprintf(make_room(b, (size_t)n + 1), (size_t)n + 1, format, again);
        b->n += (size_t)n;
    }
    va_end(again);
    va_end(args);
}

/* Whether c stands for itself in a JSON string. */
static bool
is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Append what does not stand for itself; return how many bytes it was. */
static size_t
add_escaped(struct buf *b, const char *text, size_t len)
{
    const size_t n = utf8_length(text, len);
    if (!n)
        buf_text(b, "\xef\xbf\xbd");
    else if (*text == '"' || *text == '\\')
        buf_printf(b, "\\%c", *text);
    else if (*text == '\n')
        buf_text(b, "\\n");
    else if (n == 1)
        buf_printf(b, "\\u%04x", (unsigned)*text);
    else
        buf_add(b, text, n);
    return n ? n : 1;
}

void
buf_json(struct buf *b, const char *text, size_t len)
{
    buf_char(b, '"');
    for (size_t i = 0; i < len;) {
        const size_t start = i;
        while (i < len && is_plain(text[i]))
            i++;
        buf_add(b, text + start, i - start);
        if (i < len)
            i += add_escaped(b, text + i, len - i);
    }
    buf_char(b, '"');
}

void
buf_clear(struct buf *b)
{
    b->n = 0;
    if (b->at)
        b->at[0] = 0;
}

void
buf_free(struct buf *b)
{
    mem_free(b->at);
    *b = (struct buf){0};
}
