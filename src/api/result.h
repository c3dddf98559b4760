/* result.h -- what is behind an assay_result.
 *
 * SPDX-License-Identifier: MIT */
#ifndef API_RESULT_H
#define API_RESULT_H

#include "api/handle.h"
#include "pipeline/inspection.h"

enum { RESULT_FORMATS = 16 }; // of reports, at most

struct assay_result {
    struct assay *a;
    struct assay_history *h; // for certificates and reports
    char *name;              // for reports: that of h may change
    struct inspection i;     // its history is a copy of the pointers of h
    struct inspection_options options;
    struct buf texts[RESULT_FORMATS]; // by row of report_table
    struct buf certificate, reduced;  // the last ones that were asked for
};

#endif
