/* decimal.h -- unsigned decimal numbers in a text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_DECIMAL_H
#define FORMAT_SCAN_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
    // bytes that are not keep a bit, and the lowest such bit tells.
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

enum { DECIMAL_SHORT = 16 }; // bytes that decimal_short looks at

/* Parse the number at *at and move past it; false if it has no digit or more
 * than 15.
 *
 *   require  DECIMAL_SHORT bytes can be read at *at */
static inline bool
decimal_short(const char **at, uint64_t *out)
{
    static const uint32_t powers[] = {1,     10,     100,     1000,
                                      10000, 100000, 1000000, 10000000};
    uint64_t word;
    memcpy(&word, *at, sizeof word);
    unsigned n = decimal_digits(word);
    if (n < 8) {
        // No shift by 64, which means nothing.
        *out = n ? decimal_value(word << (64 - 8 * n)) : 0;
        *at += n;
        return n > 0;
    }
    const uint64_t first = decimal_value(word);
    memcpy(&word, *at + 8, sizeof word);
    n = decimal_digits(word);
    if (n == 8)
        return false;
    *out = first * powers[n] + (n ? decimal_value(word << (64 - 8 * n)) : 0);
    *at += 8 + n;
    return true;
}

#endif
