/* scan.c -- see scan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "format/scan/scan.h"

#include "base/print.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
scan_init(struct scan *s, const struct input *in, struct err *err)
{
    *s = (struct scan){.at = in->data, .in = in, .err = err};
    s->end = in->size ? in->data + in->size : in->data;
    if (in->size >= 3 && memcmp(in->data, "\xef\xbb\xbf", 3) == 0)
        s->at += 3;
}

void
scan_free(struct scan *s)
{
    buf_free(&s->decoded);
}

bool
scan_locate(struct scan *s, const char *at)
{
    uint64_t line, column;
    input_position(s->in, (size_t)(at - s->in->data), &line, &column);
    return err_at_line(s->err, line, column);
}

bool
scan_fail(struct scan *s, const char *at, enum err_kind kind,
          const char *format, ...)
{
    char text[sizeof s->err->text];
    va_list args;
    va_start(args, format);
    print_args(text, sizeof text, format, args);
    va_end(args);
    err_set(s->err, kind, "%s", text);
    return scan_locate(s, at);
}

/* How many bytes to quote: a whole string, word or number, or one byte. */
static size_t
word_length(const char *at, const char *end)
{
    if (end - at > ERR_QUOTE_ROOM)
        end = at + ERR_QUOTE_ROOM; // a message shows no more
    const char *p = at;
    if (*at == '"') {
        for (p++; p < end && *p != '"' && *p != '\n'; p++)
            ;
        return (size_t)(p - at) + (p < end && *p == '"');
    }
    while (p < end && ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') ||
                       (*p >= 'A' && *p <= 'Z') || memchr("_-+./:", *p, 6)))
        p++;
    return p > at ? (size_t)(p - at) : 1;
}

bool
scan_unexpected(struct scan *s, const char *at, const char *expected)
{
    if (at == s->end)
        return scan_fail(s, at, ERR_SYNTAX, "the input ends here, expected %s",
                         expected);
    if (*at == '\n' || (*at == '\r' && at + 1 < s->end && at[1] == '\n'))
        return scan_fail(s, at, ERR_SYNTAX, "the line ends here, expected %s",
                         expected);
    return scan_unexpected_text(
        s, at, (struct span){at, word_length(at, s->end)}, expected);
}

bool
scan_unexpected_text(struct scan *s, const char *at, struct span text,
                     const char *expected)
{
    char quoted[ERR_QUOTE_ROOM];
    err_quote(quoted, sizeof quoted, text.at, text.n);
    return scan_fail(s, at, ERR_SYNTAX, "found '%s', expected %s", quoted,
                     expected);
}

bool
scan_integer(bool negative, const char *digits, const char *end,
             struct atom *out)
{
    uint64_t x = 0;
    for (const char *p = digits; p < end; p++) {
        const uint64_t digit = (uint64_t)(*p - '0');
        if (x > (UINT64_MAX - digit) / 10)
            return false;
        x = x * 10 + digit;
    }
    if (negative && x > (uint64_t)1 << 63)
        return false;
    *out = negative ? atom_int((int64_t)-x) : atom_uint(x);
    return true;
}
