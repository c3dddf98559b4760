/* buf.c -- see buf.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include "base/memory/mem.h"
#include "base/print.h"
#include "base/real.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

void
buf_grow(struct buf *b, size_t more)
{
    b->room = b->n + more + b->room / 2 + 64;
    b->at = mem_realloc(b->at, b->room, 1);
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
buf_vprintf(struct buf *b, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const size_t room = b->room - b->n;
    const size_t n = print_args(room ? b->at + b->n : NULL, room, format, args);
    if (n >= room && n) {
        buf_grow(b, n);
        print_args(b->at + b->n, n + 1, format, again);
    }
    b->n += n;
    va_end(again);
}

void
buf_printf(struct buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_vprintf(b, format, args);
    va_end(args);
}

void
buf_decimal(struct buf *b, double x, int digits)
{
    char text[REAL_ROOM];
    buf_add(b, text, real_print_fixed(x, digits, text));
}

/* Whether c stands for itself in a JSON string. */
static bool
is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Characters that are invisible and change how others are shown:
 * controls that terminals obey, marks of writing direction, line ends. */
static bool
is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

/* The code point of a valid sequence of n bytes. */
static uint32_t
code_point(const char *text, size_t n)
{
    uint32_t code = (unsigned char)text[0] & (n == 1 ? 0x7f : 0x7f >> n);
    for (size_t i = 1; i < n; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

/* Append what does not stand for itself; return how many bytes it was. */
static size_t
add_escaped(struct buf *b, const char *text, size_t len)
{
    const size_t n = utf8_length(text, len);
    const uint32_t code = n ? code_point(text, n) : 0;
    if (!n)
        buf_text(b, "\xef\xbf\xbd");
    else if (*text == '"' || *text == '\\')
        buf_printf(b, "\\%c", *text);
    else if (*text == '\n')
        buf_text(b, "\\n");
    else if (is_hidden(code))
        buf_printf(b, "\\u%04x", (unsigned)code);
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
buf_shown(struct buf *b, const char *text)
{
    const size_t len = strlen(text);
    for (size_t i = 0, n; i < len; i += n ? n : 1) {
        n = utf8_length(text + i, len - i);
        const uint32_t code = n ? code_point(text + i, n) : 0;
        if (!n || (n == 1 && is_hidden(code)))
            buf_printf(b, "\\x%02x", (unsigned char)text[i]);
        else if (is_hidden(code))
            buf_printf(b, "\\u%04x", (unsigned)code);
        else
            buf_add(b, text + i, n);
    }
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
