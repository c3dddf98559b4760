/* quantity.c -- see quantity.h.
 *
 * Whole numbers are computed with integers, because a seed may need all of its
 * 64 bits, and a double has 53.  A fraction is allowed where the unit makes it
 * whole: '1.5k' is 1500, '1.5' is no count.
 *
 * SPDX-License-Identifier: MIT */
#include "base/quantity.h"

#include "base/real.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct unit {
    const char *name;
    enum quantity_kind kind;
    double factor;
};

// clang-format off
static const struct unit units[] = {
    {"k", QUANTITY_COUNT, 1e3},       {"M", QUANTITY_COUNT, 1e6},
    {"G", QUANTITY_COUNT, 1e9},       {"T", QUANTITY_COUNT, 1e12},
    {"k", QUANTITY_BYTES, 1024.0},    {"M", QUANTITY_BYTES, 1048576.0},
    {"G", QUANTITY_BYTES, 0x1p30},    {"T", QUANTITY_BYTES, 0x1p40},
    {"B", QUANTITY_BYTES, 1},
    {"kB", QUANTITY_BYTES, 1024.0},   {"MB", QUANTITY_BYTES, 1048576.0},
    {"GB", QUANTITY_BYTES, 0x1p30},   {"TB", QUANTITY_BYTES, 0x1p40},
    {"KiB", QUANTITY_BYTES, 1024.0},  {"MiB", QUANTITY_BYTES, 1048576.0},
    {"GiB", QUANTITY_BYTES, 0x1p30},  {"TiB", QUANTITY_BYTES, 0x1p40},
    {"us", QUANTITY_SECONDS, 1e-6},   {"ms", QUANTITY_SECONDS, 1e-3},
    {"s", QUANTITY_SECONDS, 1},       {"m", QUANTITY_SECONDS, 60},
    {"min", QUANTITY_SECONDS, 60},    {"h", QUANTITY_SECONDS, 3600},
    {"%", QUANTITY_SHARE, 0.01},
};
// clang-format on

const char *
quantity_units(enum quantity_kind kind)
{
    static const char *const names[] = {
        [QUANTITY_COUNT] = "k, M, G or T",
        [QUANTITY_BYTES] = "k, M, G or T",
        [QUANTITY_SECONDS] = "us, ms, s, min or h",
        [QUANTITY_SHARE] = "%",
        [QUANTITY_REAL] = "",
    };
    assert(kind <= QUANTITY_REAL);
    return names[kind];
}

/* How many bytes of text the number takes: digits, at most one point, and an
 * exponent such as e6 or E-3.  0 if there is no digit. */
static size_t
number_length(const char *text, size_t n)
{
    size_t i = 0, digits = 0;
    for (bool point = false; i < n; i++) {
        if (text[i] >= '0' && text[i] <= '9')
            digits++;
        else if (text[i] == '.' && !point)
            point = true;
        else
            break;
    }
    if (!digits)
        return 0;
    size_t e = i;
    if (e < n && (text[e] == 'e' || text[e] == 'E')) {
        e++;
        e += e < n && (text[e] == '+' || text[e] == '-');
        const size_t first = e;
        while (e < n && text[e] >= '0' && text[e] <= '9')
            e++;
        i = e > first ? e : i;
    }
    return i;
}

/* The factor of a unit of n bytes; 1 for none, 0 if it is unknown. */
static double
find_factor(const char *unit, size_t n, enum quantity_kind kind)
{
    if (!n)
        return 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].kind == kind && strlen(units[i].name) == n &&
            memcmp(units[i].name, unit, n) == 0)
            return units[i].factor;
    return 0;
}

bool
quantity_parse(const char *text, size_t n, enum quantity_kind kind, double *out)
{
    char number[64];
    const size_t len = number_length(text, n);
    const double factor = find_factor(text + len, n - len, kind);
    if (!len || len >= sizeof number || factor <= 0)
        return false;
    memcpy(number, text, len);
    number[len] = 0;
    const double x = real_read(number, NULL);
    // 10 / 1000 is the nearest number to 0.01; 10 * 0.001 need not be.
    const double y =
        factor < 1 ? x / (double)(uint64_t)(1 / factor + 0.5) : x * factor;
    if (!isfinite(y))
        return false;
    assert(y >= 0);
    *out = y;
    return true;
}

/* Digits only; false if they do not fit. */
static bool
parse_digits(const char *text, size_t n, uint64_t *out)
{
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        const unsigned digit = (unsigned)(text[i] - '0');
        if (x > (UINT64_MAX - digit) / 10)
            return false;
        x = 10 * x + digit;
    }
    *out = x;
    return n > 0;
}

bool
quantity_parse_whole(const char *text, size_t n, enum quantity_kind kind,
                     uint64_t *out)
{
    assert(kind == QUANTITY_COUNT || kind == QUANTITY_BYTES);
    const double exact = 0x1p53; // below it, a double holds any whole number
    const size_t len = number_length(text, n);
    const double factor = find_factor(text + len, n - len, kind);
    uint64_t x;
    if (len && factor >= 1 && parse_digits(text, len, &x)) {
        if (x > UINT64_MAX / (uint64_t)factor)
            return false;
        *out = x * (uint64_t)factor;
        return true;
    }
    double real;
    if (!quantity_parse(text, n, kind, &real) || real > exact ||
        real != (double)(uint64_t)real)
        return false;
    *out = (uint64_t)real;
    return true;
}
