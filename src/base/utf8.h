/* utf8.h -- UTF-8, as much of it as reading and writing text needs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the sequence at text, of which len > 0 bytes are there, or 0
 * where there is none: a stray or missing continuation, an overlong form, a
 * surrogate, or something above U+10FFFF. */
static inline size_t
utf8_length(const char *text, size_t len)
{
    const unsigned char *s = (const unsigned char *)text;
    const unsigned char c = s[0];
    const size_t n = c < 0x80                ? 1
                     : c >= 0xc2 && c < 0xe0 ? 2
                     : c >= 0xe0 && c < 0xf0 ? 3
                     : c >= 0xf0 && c < 0xf5 ? 4
                                             : 0;
    if (n > len)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((c == 0xe0 && s[1] < 0xa0) || (c == 0xed && s[1] >= 0xa0) ||
        (c == 0xf0 && s[1] < 0x90) || (c == 0xf4 && s[1] >= 0x90))
        return 0;
    return n;
}

static inline bool
utf8_is_valid(const char *text, size_t len)
{
    for (size_t i = 0, n; i < len; i += n) {
        n = utf8_length(text + i, len - i);
        if (!n)
            return false;
    }
    return true;
}

/* Write the sequence of a code point, no surrogate and at most U+10FFFF, to
 * out and return its length. */
static inline size_t
utf8_put(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    const size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | code);
    return n;
}

#endif
