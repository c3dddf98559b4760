/* ascii.h -- kinds of characters, and comparison without regard to case.
 *
 * The functions of <ctype.h> and <strings.h> ask the locale of the process,
 * which belongs to the program that uses the library: in Turkish "SI" is not
 * "si".  Names, keywords and formats are ASCII, whatever the locale.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline bool
ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool
ascii_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool
ascii_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool
ascii_is_alpha(char c)
{
    return ascii_is_upper(c) || ascii_is_lower(c);
}

static inline bool
ascii_is_alnum(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c);
}

static inline bool
ascii_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool
ascii_is_xdigit(char c)
{
    return ascii_is_digit(c) || (c >= 'a' && c <= 'f') ||
           (c >= 'A' && c <= 'F');
}

static inline char
ascii_lower(char c)
{
    return ascii_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static inline char
ascii_upper(char c)
{
    return ascii_is_lower(c) ? (char)(c - 'a' + 'A') : c;
}

/* As strncmp and strcmp, with capitals as small letters. */
static inline int
ascii_compare_n(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const unsigned char x = (unsigned char)ascii_lower(a[i]);
        const unsigned char y = (unsigned char)ascii_lower(b[i]);
        if (x != y)
            return x < y ? -1 : 1;
        if (!x)
            break;
    }
    return 0;
}

static inline int
ascii_compare(const char *a, const char *b)
{
    return ascii_compare_n(a, b, (size_t)-1);
}

#endif
