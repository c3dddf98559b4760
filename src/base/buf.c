/* buf.c -- see buf.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include "base/mem.h"

#include <stdarg.h>
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

/* The length of the UTF-8 sequence at text, or 0 where there is none. */
static size_t
utf8_length(const unsigned char *s, size_t len)
{
    const unsigned char c = s[0];
    size_t n = c < 0x80                ? 1
               : c >= 0xc2 && c < 0xe0 ? 2
               : c >= 0xe0 && c < 0xf0 ? 3
               : c >= 0xf0 && c < 0xf5 ? 4
                                       : 0;
    if (n > len)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    // Overlong forms, surrogates, and what lies above U+10FFFF.
    if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] >= 0xa0) ||
        (c == 0xf0 && s[1] < 0x90) || (c == 0xf4 && s[1] >= 0x90))
        return 0;
    return n;
}

void
buf_json(struct buf *b, const char *text, size_t len)
{
    buf_char(b, '"');
    for (size_t i = 0; i < len;) {
        const unsigned char c = (unsigned char)text[i];
        const size_t n = utf8_length((const unsigned char *)text + i, len - i);
        if (!n)
            buf_text(b, "\xef\xbf\xbd");
        else if (c == '"' || c == '\\')
            buf_printf(b, "\\%c", c);
        else if (c == '\n')
            buf_text(b, "\\n");
        else if (c < 0x20 || c == 0x7f)
            buf_printf(b, "\\u%04x", c);
        else
            buf_add(b, text + i, n);
        i += n ? n : 1;
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
