/* print.h -- printf into memory, the same in every locale.
 *
 * The directives are those of printf: %d %i %u %x %X %c %s %p %f %g and %%,
 * with the flags '-', '0', '+' and ' ', a width, a precision, and the lengths
 * hh, h, l, ll, z, j and t.  Numbers have a decimal point in every locale
 * (real.h).  The compiler checks arguments as it does for printf.  Any other
 * directive is a mistake of the caller, which an assertion reports.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_PRINT_H
#define BASE_PRINT_H

#include <stdarg.h>
#include <stddef.h>

/* As snprintf and vsnprintf: at most room - 1 bytes and a zero byte are
 * written; the length that all would have is returned. */
__attribute__((format(printf, 3, 4))) size_t
print_text(char *out, size_t room, const char *format, ...);
__attribute__((format(printf, 3, 0))) size_t
print_args(char *out, size_t room, const char *format, va_list args);

#endif
