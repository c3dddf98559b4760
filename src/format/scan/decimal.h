/* decimal.h -- unsigned decimal numbers in a text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_SCAN_DECIMAL_H
#define FORMAT_SCAN_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
