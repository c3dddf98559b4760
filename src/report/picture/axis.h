/* axis.h -- round numbers and units for the axes of pictures and plots.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PICTURE_AXIS_H
#define REPORT_PICTURE_AXIS_H

#include "base/buf.h"

#include <stdbool.h>

/* A unit of time: "ms" is a million nanoseconds. */
struct axis_unit {
    const char *name;
    double size;
};

/* The unit for times of about this many nanoseconds. */
struct axis_unit axis_unit_for(double nanoseconds);

/* The smallest of 1, 2 and 5 times a power of ten of which at most 'most'
 * fit into 'span', which is positive. */
double axis_step(double span, int most);

/* Append a number with as many decimals as multiples of 'step' need. */
void axis_number(double x, double step, struct buf *out);

/* Append a time with four digits and its unit: "2.310 s". */
void axis_time(double nanoseconds, struct buf *out);

#endif
