/* print.c -- see print.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/print.h"

#include "base/ascii.h"
#include "base/real.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct output {
    char *at;
    size_t n, room; // n counts what does not fit, too
};

struct directive {
    bool left, zeros, plus, blank;
    int width, precision; // precision: -1 = none
    char length;          // 'H' for hh, 'h', 'l', 'L' for ll, 'z', 'j', 't'
    char kind;
};

static void
put(struct output *o, const char *text, size_t n)
{
    if (o->n < o->room) {
        const size_t fits = o->room - o->n;
        memcpy(o->at + o->n, text, n < fits ? n : fits);
    }
    o->n += n;
}

static void
put_many(struct output *o, char c, size_t n)
{
    if (o->n < o->room) {
        const size_t fits = o->room - o->n;
        memset(o->at + o->n, c, n < fits ? n : fits);
    }
    o->n += n;
}

/* A sign and a text, in the width; zeros go between them. */
static void
put_padded(struct output *o, const struct directive *d, const char *sign,
           const char *text, size_t n, bool zeros)
{
    const size_t signs = strlen(sign);
    const size_t width = d->width > 0 ? (size_t)d->width : 0;
    const size_t gap = width > n + signs ? width - n - signs : 0;
    if (!d->left && !zeros)
        put_many(o, ' ', gap);
    put(o, sign, signs);
    if (!d->left && zeros)
        put_many(o, '0', gap);
    put(o, text, n);
    if (d->left)
        put_many(o, ' ', gap);
}

static const char *
sign_of(const struct directive *d, bool negative)
{
    return negative ? "-" : d->plus ? "+" : d->blank ? " " : "";
}

/* --- integers --------------------------------------------------------------*/

static void
put_number(struct output *o, const struct directive *d, const char *sign,
           uint64_t x, unsigned base)
{
    enum { LEAST_MOST = 64 }; // digits that a precision can ask for
    const char *digits =
        d->kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char text[LEAST_MOST];
    size_t i = sizeof text;
    for (; x; x /= base)
        text[--i] = digits[x % base];
    const int least = d->precision < 0 ? 1 : d->precision;
    assert(least <= LEAST_MOST);
    while ((int)(sizeof text - i) < least && i)
        text[--i] = '0';
    put_padded(o, d, sign, text + i, sizeof text - i,
               d->zeros && d->precision < 0);
}

static int64_t
take_signed(char length, va_list *args)
{
    switch (length) {
    case 'l':
        return va_arg(*args, long);
    case 'L':
        return va_arg(*args, long long);
    case 'j':
        return va_arg(*args, intmax_t);
    case 'z':
    case 't':
        return va_arg(*args, ptrdiff_t);
    case 'h':
        return (short)va_arg(*args, int);
    case 'H':
        return (signed char)va_arg(*args, int);
    default:
        return va_arg(*args, int);
    }
}

static uint64_t
take_unsigned(char length, va_list *args)
{
    switch (length) {
    case 'l':
        return va_arg(*args, unsigned long);
    case 'L':
        return va_arg(*args, unsigned long long);
    case 'j':
        return va_arg(*args, uintmax_t);
    case 'z':
    case 't':
        return va_arg(*args, size_t);
    case 'h':
        return (unsigned short)va_arg(*args, unsigned);
    case 'H':
        return (unsigned char)va_arg(*args, unsigned);
    default:
        return va_arg(*args, unsigned);
    }
}

/* --- directives ------------------------------------------------------------*/

static void
put_real(struct output *o, const struct directive *d, double x)
{
    char text[REAL_ROOM];
    int digits = d->precision < 0 ? 6 : d->precision;
    digits = digits > REAL_MOST_DIGITS ? REAL_MOST_DIGITS : digits;
    const size_t n = d->kind == 'g' ? real_print_brief(x, digits, text)
                                    : real_print_fixed(x, digits, text);
    const bool negative = *text == '-';
    const bool is_number = ascii_is_digit(text[negative]);
    put_padded(o, d, sign_of(d, negative), text + negative, n - negative,
               d->zeros && is_number);
}

static void
put_string(struct output *o, const struct directive *d, const char *text)
{
    const size_t n =
        d->precision < 0 ? strlen(text) : strnlen(text, (size_t)d->precision);
    put_padded(o, d, "", text, n, false);
}

static void
put_directive(struct output *o, const struct directive *d, va_list *args)
{
    switch (d->kind) {
    case 'd':
    case 'i': {
        const int64_t x = take_signed(d->length, args);
        put_number(o, d, sign_of(d, x < 0), x < 0 ? -(uint64_t)x : (uint64_t)x,
                   10);
        return;
    }
    case 'u':
        put_number(o, d, "", take_unsigned(d->length, args), 10);
        return;
    case 'x':
    case 'X':
        put_number(o, d, "", take_unsigned(d->length, args), 16);
        return;
    case 'p':
        put_number(o, d, "0x", (uintptr_t)va_arg(*args, void *), 16);
        return;
    case 'c': {
        const char c = (char)va_arg(*args, int);
        put_padded(o, d, "", &c, 1, false);
        return;
    }
    case 's':
        put_string(o, d, va_arg(*args, const char *));
        return;
    default:
        assert(d->kind == 'f' || d->kind == 'g');
        put_real(o, d, va_arg(*args, double));
    }
}

/* A width or a precision. */
static const char *
take_size(const char *at, int *out, va_list *args)
{
    if (*at == '*') {
        *out = va_arg(*args, int);
        return at + 1;
    }
    for (*out = 0; ascii_is_digit(*at); at++)
        *out = *out * 10 + (*at - '0');
    return at;
}

static const char *
take_length(const char *at, char *out)
{
    *out = 0;
    if (!*at || !strchr("hlzjt", *at))
        return at;
    *out = *at++;
    if (*at == *out && (*at == 'h' || *at == 'l')) {
        *out = *out == 'h' ? 'H' : 'L';
        at++;
    }
    return at;
}

/* The directive behind a '%'; where the text goes on. */
static const char *
take_directive(const char *at, struct directive *d, va_list *args)
{
    *d = (struct directive){.precision = -1};
    for (;; at++) {
        if (*at == '-')
            d->left = true;
        else if (*at == '0')
            d->zeros = true;
        else if (*at == '+')
            d->plus = true;
        else if (*at == ' ')
            d->blank = true;
        else
            break;
    }
    at = take_size(at, &d->width, args);
    if (d->width < 0) {
        d->left = true;
        d->width = -d->width;
    }
    if (*at == '.')
        at = take_size(at + 1, &d->precision, args);
    at = take_length(at, &d->length);
    d->kind = *at;
    return at + 1;
}

size_t
print_args(char *out, size_t room, const char *format, va_list args)
{
    struct output o = {out, 0, room ? room - 1 : 0};
    va_list rest; // whose address has the right type, also where it is an array
    va_copy(rest, args);
    for (const char *at = format; *at;) {
        const char *next = strchr(at, '%');
        const size_t plain = next ? (size_t)(next - at) : strlen(at);
        put(&o, at, plain);
        at += plain;
        if (!*at)
            break;
        if (at[1] == '%') {
            put(&o, "%", 1);
            at += 2;
            continue;
        }
        struct directive d;
        at = take_directive(at + 1, &d, &rest);
        put_directive(&o, &d, &rest);
    }
    va_end(rest);
    if (room)
        out[o.n < room ? o.n : room - 1] = 0;
    return o.n;
}

size_t
print_text(char *out, size_t room, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const size_t n = print_args(out, room, format, args);
    va_end(args);
    return n;
}
