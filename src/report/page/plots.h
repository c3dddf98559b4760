/* plots.h -- how a run went over time, as plots: commits, latency, aborts.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PAGE_PLOTS_H
#define REPORT_PAGE_PLOTS_H

#include "report/report.h"

/* Append the plots of a recording; the faults of 'o', which may be NULL, are
 * marked. */
void plots_html(const struct timeline *t, const struct report_origin *o,
                struct buf *out);

#endif
