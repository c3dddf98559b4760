/* prediction.h -- what is behind an assay_prediction.
 *
 * SPDX-License-Identifier: MIT */
#ifndef API_PREDICTION_H
#define API_PREDICTION_H

#include "api/result.h"
#include "pipeline/predict_level.h"

struct assay_prediction {
    struct assay *a;
    struct assay_history *h;
    char *name;           // for reports
    struct history input; // a copy of the pointers of h, or registers of it
    struct summary summary;
    struct predict_level levels[LEVELS];
    size_t n;
    struct buf texts[RESULT_FORMATS]; // by row of report_table
    struct buf predicted;             // the last history that was asked for
};

#endif
