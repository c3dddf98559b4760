/* decimal.h -- unsigned decimal numbers in a text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_DECIMAL_H
#define FORMAT_SCAN_DECIMAL_H

#include "base/word.h"

#include <stdbool.h>

static inline bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Parse the len bytes at text as a number; false if they are no number or it
 * does not fit. */
static inline bool
parse_decimal(const char *text, size_t len, uint64_t *out)
{
    uint64_t x = 0;
    for (size_t i = 0; i < len; i++) {
        const uint64_t digit = (uint64_t)(text[i] - '0');
        if (!is_digit(text[i]) || x > (UINT64_MAX - digit) / 10)
            return false;
        x = x * 10 + digit;
    }
    *out = x;
    return len > 0;
}

/* How many of the eight bytes of a word, from the lowest on, are digits. */
static inline unsigned
decimal_digits(uint64_t word)
{
    // A byte is a digit when its high half is 3 and stays 3 when 6 is added;
    // bytes that are not keep a bit, and the lowest such bit is the first of
    // them.
    const uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0);
    const uint64_t three = UINT64_C(0x3030303030303030);
    const uint64_t six = UINT64_C(0x0606060606060606);
    const uint64_t wrong =
        ((word & high) ^ three) | (((word + six) & high) ^ three);
    return wrong ? (unsigned)__builtin_ctzll(wrong) / 8 : 8;
}

/* The number that the eight digits of a word spell, the first one lowest. */
static inline uint64_t
decimal_value(uint64_t word)
{
    word = (word & UINT64_C(0x0f0f0f0f0f0f0f0f)) * 2561 >> 8;
    word = (word & UINT64_C(0x00ff00ff00ff00ff)) * 6553601 >> 16;
    return (word & UINT64_C(0x0000ffff0000ffff)) * UINT64_C(42949672960001) >>
           32;
}

/* The number of the n digits at the front of a word, 0 to 7 of them. */
static inline uint64_t
decimal_front(uint64_t word, unsigned n)
{
    // Two shifts, because one by 64 means nothing.
    return decimal_value(word << (56 - 8 * n) << 8);
}

/* How many digits stand at 'at', 8 for all that are more than 7; and up to 7,
 * their number.
 *
 *   require  8 bytes can be read */
static inline unsigned
decimal_brief(const char *at, uint64_t *out)
{
    uint64_t word = word_load(at);
    // A digit becomes 0 to 9.  Another byte gets its highest bit when 0x76 is
    // added, or has it; a carry changes only bytes behind such a byte.
    word ^= UINT64_C(0x3030303030303030);
    const uint64_t wrong = ((word + UINT64_C(0x7676767676767676)) | word) &
                           UINT64_C(0x8080808080808080);
    if (__builtin_expect(!wrong, 0))
        return 8;
    const unsigned n = (unsigned)__builtin_ctzll(wrong) / 8;
    *out = decimal_front(word, n);
    return n;
}

enum { DECIMAL_SHORT = 16 }; // bytes that decimal_short looks at

/* decimal_short for 8 to 15 digits. */
static inline bool
decimal_middle(const char **at, uint64_t *out)
{
    static const uint32_t powers[] = {1,     10,     100,     1000,
                                      10000, 100000, 1000000, 10000000};
    uint64_t rest;
    const uint64_t first = word_load(*at);
    const unsigned n = decimal_brief(*at + 8, &rest);
    if (n == 8)
        return false;
    *out = decimal_value(first) * powers[n] + rest;
    *at += 8 + n;
    return true;
}

/* Parse the number at *at and move past it; false if it has no digit or more
 * than 15.
 *
 *   require  DECIMAL_SHORT bytes can be read at *at */
static inline bool
decimal_short(const char **at, uint64_t *out)
{
    const unsigned n = decimal_brief(*at, out);
    if (__builtin_expect(n == 8, 0))
        return decimal_middle(at, out);
    *at += n;
    return n > 0;
}

#endif
