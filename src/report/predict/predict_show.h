/* predict_show.h -- predictions as text and as JSON.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PREDICT_PREDICT_SHOW_H
#define REPORT_PREDICT_PREDICT_SHOW_H

#include "replay/validation.h"
#include "report/report.h"

/* The result for one level. */
struct predict_result {
    const char *path, *format;
    const struct summary *summary;
    const struct predict_options *options;
    const struct prediction *prediction;
    enum predict_answer answer;        // after what was tried
    const struct check *checks;        // by prediction: the check at ser
    const struct validated *validated; // empty without --validate
    struct explanation *explanations;  // by prediction: why
    // The limit that ended the search ('unknown'), or the explanation.
    struct limit_stop stop;
    char
        gaps[256]; // what was not recorded (partial.h); "" where everything was
};

/* "predicted", "none" or "unknown". */
const char *predict_show_answer(enum predict_answer a);

/* The verdict line, and each prediction with its anomaly. */
void predict_show_text(const struct predict_result *r,
                       const struct report_style *s, struct buf *out);

/* The object of one history: begin, one object for each level, and end. */
void predict_show_begin_json(const struct predict_result *r, struct buf *out);
void predict_show_json(const struct predict_result *r, struct buf *out);
void predict_show_end_json(struct buf *out);

#endif
