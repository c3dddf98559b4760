/* real.h -- floating-point numbers from text and as text, in every locale.
 *
 * strtod and printf use the decimal sign of the locale, which belongs to the
 * program that uses the library: with a decimal comma "1.5" reads as 1, and
 * JSON gets "1,5".  These functions always use a point.  Both are exact: the
 * number that is read is the nearest one (ties to even), and digits are those
 * of the number itself, rounded once (ties to even).
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include <stddef.h>

/* The decimal number at the front of a text that ends with a zero byte: sign,
 * digits, point, digits, exponent.  *end is behind it, or at 'text' if there is
 * none; end may be NULL.  Too large a number is infinite. */
double real_read(const char *text, const char **end);

enum {
    REAL_MOST_DIGITS = 40, // that are asked for, behind the point or in all
    REAL_ROOM = 320 + REAL_MOST_DIGITS, // bytes of a text, zero byte included
};

/* As "%.<digits>f" and "%.<digits>g" print in the locale "C".  Return the
 * length. */
size_t real_print_fixed(double x, int digits, char out[static REAL_ROOM]);
size_t real_print_brief(double x, int digits, char out[static REAL_ROOM]);

/* The shortest of 15 to 17 digits that reads back as x, as "%g" prints it. */
size_t real_print_exact(double x, char out[static REAL_ROOM]);

#endif
