/* predict_sides.h -- a prediction beside the observed execution, for reports.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PREDICT_PREDICT_SIDES_H
#define REPORT_PREDICT_PREDICT_SIDES_H

#include "base/memory/arena.h"
#include "report/page/sides.h"
#include "report/predict/predict_show.h"

struct predict_sides {
    struct report_sides report;
    struct arena arena; // holds all texts
};

/* Put prediction i beside the observed execution: the transactions of its
 * anomaly, with the operations on its keys. */
void predict_sides_make(const struct predict_result *r, size_t i,
                        struct predict_sides *out);
void predict_sides_free(struct predict_sides *s);

/* In an explanation of prediction p, add the observed value to changed reads:
 * "r(x, 5 instead of 9)".  The texts are kept in the arena. */
void predict_sides_mark(const struct predicted *p, struct explanation *e,
                        struct arena *arena);

/* Add prediction i to a report, beside the observed operations. */
void predict_sides_report(struct report *to, const struct predict_result *r,
                          size_t i);

#endif
