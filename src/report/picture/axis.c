/* axis.c -- see axis.h.
 *
 * SPDX-License-Identifier: MIT */
#include "report/picture/axis.h"

#include <assert.h>
#include <math.h>

struct axis_unit
axis_unit_for(double nanoseconds)
{
    static const struct axis_unit units[] = {
        {"s", 1e9}, {"ms", 1e6}, {"\xc2\xb5s", 1e3}, {"ns", 1}};
    const double size = fabs(nanoseconds);
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && size < units[i].size)
        i++;
    return units[i];
}

double
axis_step(double span, int most)
{
    assert(span > 0 && most > 0);
    const double least = span / most;
    const double power = pow(10, floor(log10(least)));
    const double times = least / power;
    // The division may have rounded up or down.
    return power * (times <= 1.0001   ? 1
                    : times <= 2.0001 ? 2
                    : times <= 5.0001 ? 5
                                      : 10);
}

void
axis_number(double x, double step, struct buf *out)
{
    const double digits = ceil(-log10(step) - 1e-9);
    assert(step > 0);
    // There is no negative zero.
    buf_printf(out, "%.*f", digits > 0 ? (int)digits : 0,
               fabs(x) < step / 2 ? 0.0 : x);
}

void
axis_time(double nanoseconds, struct buf *out)
{
    const struct axis_unit unit = axis_unit_for(nanoseconds);
    const double x = nanoseconds / unit.size;
    const double size = fabs(x);
    buf_printf(out, "%.*f %s",
               unit.size == 1 ? 0
               : size < 10    ? 3
               : size < 100   ? 2
                              : 1,
               x, unit.name);
}
