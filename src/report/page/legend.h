/* legend.h -- what the signs of a picture mean: those that it shows, and no
 * others.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PAGE_LEGEND_H
#define REPORT_PAGE_LEGEND_H

#include "report/picture/picture.h"

void legend_html(const struct picture *p, const struct anomaly *a,
                 struct buf *out);

#endif
