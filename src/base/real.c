/* real.c -- see real.h.
 *
 * A double is m * 2^e, which has a finite decimal expansion.  Printing makes
 * that expansion in limbs of nine decimal digits and rounds its digits.
 * Reading makes a fraction of two large integers in limbs of 32 bits and
 * divides it to 54 bits and a remainder.  Short numbers, which are nearly all,
 * take one multiplication or division of exact doubles instead.
 *
 * Invariants:
 *   (1) expansion: value = sum of limb[i] * 10^(9 * (units - i)), limb < 10^9;
 *   (2) digits: value = 0.d1 d2 d3 ... * 10^point, d1 is not 0 unless n is 0;
 *   (3) large: value = sum of limb[i] * 2^(32 i), the last limb is not 0.
 *
 * SPDX-License-Identifier: MIT */
#include "base/real.h"

#include "base/ascii.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIMB = 1000000000,      // of an expansion
    WHOLE = 37,             // limbs before the point: 2^1024 < 10^309
    LIMBS = WHOLE + 121,    // 2^-1074 has 1074 digits behind the point
    DIGITS = 9 * LIMBS,     // of an expansion
    READ_DIGITS = 800,      // more cannot matter but for not being 0
    LARGE_LIMBS = 260,      // 10^1180 * 2^60
    LEAST_EXPONENT = -1074, // of the last bit of a double
    EXACT_POWER = 22,       // 10^22 is the last exact power of ten
    MOST_EXPONENT = 100000, // of a text: all beyond is 0 or infinite
};

/* --- printing --------------------------------------------------------------*/

struct digits {
    char at[DIGITS + 1]; // '0' to '9'
    int n, point;
};

/* Multiply limbs first..units by 2^shift, shift <= 29; the new first limb. */
static int
shift_up(uint32_t limb[], int first, int units, int shift)
{
    uint64_t carry = 0;
    for (int i = units; i >= first; i--) {
        const uint64_t x = ((uint64_t)limb[i] << shift) + carry;
        limb[i] = (uint32_t)(x % LIMB);
        carry = x / LIMB;
    }
    if (carry)
        limb[--first] = (uint32_t)carry;
    return first;
}

/* Divide limbs first..last by 2^shift, shift <= 9; the new last limb. */
static int
shift_down(uint32_t limb[], int first, int last, int shift)
{
    uint32_t carry = 0;
    for (int i = first; i <= last; i++) {
        const uint32_t rest = limb[i] & ((1u << shift) - 1);
        limb[i] = (limb[i] >> shift) + carry;
        carry = (uint32_t)(LIMB >> shift) * rest;
    }
    if (carry)
        limb[++last] = carry;
    return last;
}

/* The digits of a finite number that is not negative. */
static void
expand(double x, struct digits *out)
{
    uint32_t limb[LIMBS] = {0};
    int e;
    const double half = frexp(x, &e);
    const uint64_t m = (uint64_t)ldexp(half, DBL_MANT_DIG);
    e -= DBL_MANT_DIG;
    const int units = WHOLE - 1;
    int first = units - 1, last = units;
    limb[units] = (uint32_t)(m % LIMB);
    limb[units - 1] = (uint32_t)(m / LIMB);
    for (; e > 0; e -= e < 29 ? e : 29)
        first = shift_up(limb, first, units, e < 29 ? e : 29);
    for (; e < 0; e += -e < 9 ? -e : 9)
        last = shift_down(limb, first, last, -e < 9 ? -e : 9);
    out->n = 0;
    out->point = 9 * (units - first + 1);
    for (int i = first; i <= last; i++)
        for (uint32_t unit = LIMB / 10, rest = limb[i]; unit; unit /= 10) {
            const char c = (char)('0' + rest / unit);
            rest %= unit;
            if (out->n || c != '0')
                out->at[out->n++] = c;
            else
                out->point--; // (2)
        }
    while (out->n && out->at[out->n - 1] == '0')
        out->n--;
}

/* Keep n digits, n may be negative. */
static void
round_digits(struct digits *d, int n)
{
    if (n >= d->n)
        return;
    const bool is_half = n >= 0 && d->at[n] == '5' && d->n == n + 1;
    const bool is_odd = n > 0 && (d->at[n - 1] - '0') % 2;
    const bool up = n >= 0 && (is_half ? is_odd : d->at[n] >= '5');
    d->n = n < 0 ? 0 : n;
    if (!up)
        return;
    while (d->n && d->at[d->n - 1] == '9')
        d->n--;
    if (d->n) {
        d->at[d->n - 1]++;
    } else {
        d->at[d->n++] = '1';
        d->point++;
    }
}

static char
digit_at(const struct digits *d, int i)
{
    return i >= 0 && i < d->n ? d->at[i] : '0';
}

/* The digits with this many behind the point. */
static size_t
put_fixed(const struct digits *d, int behind, char *out)
{
    size_t n = 0;
    const int point = d->n ? d->point : 0;
    for (int i = 0; i < point; i++)
        out[n++] = digit_at(d, i);
    if (point <= 0)
        out[n++] = '0';
    if (behind)
        out[n++] = '.';
    for (int i = 0; i < behind; i++)
        out[n++] = digit_at(d, point + i);
    out[n] = 0;
    return n;
}

/* A sign, or all of a number that has no digits; where it goes on, or NULL. */
static char *
put_sign(double x, char *out)
{
    if (signbit(x))
        *out++ = '-';
    if (isfinite(x))
        return out;
    memcpy(out, isnan(x) ? "nan" : "inf", 4);
    return NULL;
}

size_t
real_print_fixed(double x, int digits, char out[static REAL_ROOM])
{
    struct digits d;
    assert(digits >= 0 && digits <= REAL_MOST_DIGITS);
    char *at = put_sign(x, out);
    if (!at)
        return strlen(out);
    expand(fabs(x), &d);
    round_digits(&d, d.point + digits);
    return (size_t)(at - out) + put_fixed(&d, digits, at);
}

/* "e+07" */
static size_t
put_exponent(int exponent, char *out)
{
    const unsigned e = (unsigned)abs(exponent);
    size_t n = 0;
    out[n++] = 'e';
    out[n++] = exponent < 0 ? '-' : '+';
    if (e >= 100)
        out[n++] = (char)('0' + e / 100);
    out[n++] = (char)('0' + e / 10 % 10);
    out[n++] = (char)('0' + e % 10);
    out[n] = 0;
    return n;
}

size_t
real_print_brief(double x, int digits, char out[static REAL_ROOM])
{
    struct digits d;
    assert(digits >= 0 && digits <= REAL_MOST_DIGITS);
    char *at = put_sign(x, out);
    if (!at)
        return strlen(out);
    digits = digits ? digits : 1;
    expand(fabs(x), &d);
    round_digits(&d, digits);
    while (d.n && d.at[d.n - 1] == '0')
        d.n--;
    const int exponent = d.n ? d.point - 1 : 0;
    if (exponent >= -4 && exponent < digits) {
        const int behind = d.n ? d.n - d.point : 0;
        at += put_fixed(&d, behind > 0 ? behind : 0, at);
        return (size_t)(at - out);
    }
    d.point = 1;
    at += put_fixed(&d, d.n - 1, at);
    return (size_t)(at - out) + put_exponent(exponent, at);
}

size_t
real_print_exact(double x, char out[static REAL_ROOM])
{
    size_t n = 0;
    for (int digits = 15; digits <= DBL_DECIMAL_DIG; digits++) {
        n = real_print_brief(x, digits, out);
        if (real_read(out, NULL) == x)
            break;
    }
    return n;
}

/* --- large integers --------------------------------------------------------*/

struct large {
    uint32_t limb[LARGE_LIMBS];
    int n;
};

static void
multiply_add(struct large *x, uint32_t factor, uint32_t add)
{
    uint64_t carry = add;
    for (int i = 0; i < x->n; i++) {
        carry += (uint64_t)x->limb[i] * factor;
        x->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    assert(x->n < LARGE_LIMBS);
    if (carry)
        x->limb[x->n++] = (uint32_t)carry;
}

static void
multiply_power(struct large *x, int power)
{
    for (; power >= 9; power -= 9)
        multiply_add(x, LIMB, 0);
    for (; power; power--)
        multiply_add(x, 10, 0);
}

static void
shift_left(struct large *x, int bits)
{
    const int limbs = bits / 32;
    assert(x->n + limbs < LARGE_LIMBS);
    memmove(x->limb + limbs, x->limb, (size_t)x->n * sizeof *x->limb);
    memset(x->limb, 0, (size_t)limbs * sizeof *x->limb);
    x->n += limbs;
    multiply_add(x, 1u << bits % 32, 0);
}

static void
halve(struct large *x)
{
    for (int i = 0; i < x->n; i++)
        x->limb[i] =
            x->limb[i] >> 1 | (i + 1 < x->n ? x->limb[i + 1] << 31 : 0);
    if (x->n && !x->limb[x->n - 1])
        x->n--; // (3)
}

static int
bits_of(const struct large *x)
{
    return x->n ? 32 * x->n - __builtin_clz(x->limb[x->n - 1]) : 0;
}

static int
compare(const struct large *x, const struct large *y)
{
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    for (int i = x->n - 1; i >= 0; i--)
        if (x->limb[i] != y->limb[i])
            return x->limb[i] < y->limb[i] ? -1 : 1;
    return 0;
}

/*   require  x >= y */
static void
subtract(struct large *x, const struct large *y)
{
    uint64_t borrow = 0;
    for (int i = 0; i < x->n; i++) {
        const uint64_t less = (i < y->n ? y->limb[i] : 0) + borrow;
        borrow = x->limb[i] < less;
        x->limb[i] -= (uint32_t)less;
    }
    while (x->n && !x->limb[x->n - 1])
        x->n--; // (3)
}

/* x / y, which has fewer than 'bits' bits; x becomes the remainder. */
static uint64_t
divide(struct large *x, struct large *y, int bits)
{
    uint64_t quotient = 0;
    shift_left(y, bits);
    for (int i = 0; i < bits; i++) {
        halve(y);
        quotient <<= 1;
        if (compare(x, y) >= 0) {
            subtract(x, y);
            quotient |= 1;
        }
    }
    return quotient;
}

/* --- reading ---------------------------------------------------------------*/

/* A number as it is written: digits * 10^exponent. */
struct written {
    char digits[READ_DIGITS + 1]; // no zeros in front
    int n, exponent;
};

/* The nearest double of x / y. */
static double
nearest(struct large *x, struct large *y)
{
    int e = bits_of(x) - bits_of(y) - DBL_MANT_DIG;
    e = e < LEAST_EXPONENT ? LEAST_EXPONENT : e;
    if (e < 0)
        shift_left(x, -e);
    else
        shift_left(y, e);
    uint64_t m = divide(x, y, DBL_MANT_DIG + 2);
    bool is_more, is_half;
    if (m >> DBL_MANT_DIG) { // one bit too many
        is_half = m & 1;
        is_more = x->n > 0;
        m >>= 1;
        e++;
    } else {
        shift_left(x, 1);
        const int order = compare(x, y);
        is_half = order >= 0;
        is_more = order > 0;
    }
    m += is_half && (is_more || (m & 1));
    return ldexp((double)m, e);
}

static double
read_exactly(const struct written *w)
{
    struct large x = {.n = 0}, y = {.limb = {1}, .n = 1};
    for (int i = 0; i < w->n; i++)
        multiply_add(&x, 10, (uint32_t)(w->digits[i] - '0'));
    if (w->exponent > 0)
        multiply_power(&x, w->exponent);
    else
        multiply_power(&y, -w->exponent);
    return nearest(&x, &y);
}

static double
value_of(const struct written *w)
{
    static const double powers[EXACT_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (!w->n || w->n + w->exponent < -330)
        return 0;
    if (w->n + w->exponent > 310)
        return HUGE_VAL;
    if (FLT_EVAL_METHOD == 0 && w->n <= 15 && abs(w->exponent) <= EXACT_POWER) {
        double m = 0;
        for (int i = 0; i < w->n; i++)
            m = m * 10 + (w->digits[i] - '0');
        return w->exponent < 0 ? m / powers[-w->exponent]
                               : m * powers[w->exponent];
    }
    return read_exactly(w);
}

/* Take one more digit.  Digits beyond the room count by being there. */
static void
take_digit(struct written *w, char c, bool behind_point)
{
    if (w->n < READ_DIGITS) {
        if (w->n || c != '0')
            w->digits[w->n++] = c;
        w->exponent -= behind_point && w->exponent > -MOST_EXPONENT;
        return;
    }
    if (c != '0')
        w->digits[READ_DIGITS - 1] |= 1; // not a tie any more
    w->exponent += !behind_point && w->exponent < MOST_EXPONENT;
}

static const char *
take_exponent(const char *at, int *exponent)
{
    const char *p = at + 1;
    const bool negative = *p == '-';
    p += *p == '-' || *p == '+';
    if (!ascii_is_digit(*p))
        return at;
    int x = 0;
    for (; ascii_is_digit(*p); p++)
        x = x < MOST_EXPONENT ? x * 10 + (*p - '0') : x;
    *exponent += negative ? -x : x;
    return p;
}

double
real_read(const char *text, const char **end)
{
    struct written w;
    w.n = w.exponent = 0;
    const char *p = text;
    const bool negative = *p == '-';
    bool any = false, behind_point = false;
    p += *p == '-' || *p == '+';
    for (;; p++) {
        if (*p == '.' && !behind_point) {
            behind_point = true;
            continue;
        }
        if (!ascii_is_digit(*p))
            break;
        any = true;
        take_digit(&w, *p, behind_point);
    }
    if (any && (*p == 'e' || *p == 'E'))
        p = take_exponent(p, &w.exponent);
    if (end)
        *end = any ? p : text;
    const double x = any ? value_of(&w) : 0;
    return negative && any ? -x : x;
}
