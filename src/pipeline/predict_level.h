/* predict_level.h -- what could have happened at one level: predict from a
 * history in memory, explain, show.
 *
 *     predict_level_init(&l, &about_history, &options);
 *     ok = predict_level_search(&l, h, &err);
 *     for (i = 0; ok && i < l.prediction.found.n; i++)
 *         ok = predict_level_explain(&l, i, threads, &err);
 *     predict_level_show(&l, false, &report);
 *     predict_level_free(&l);
 *
 * The command and the library do the same here.  What the user's limits are,
 * and which files and databases take part, is up to them (predict_run.h,
 * api/predictions.c).  Nothing here prints.
 *
 * Invariants:
 *   (1) 'result' points into the struct, which does not move meanwhile;
 *   (2) predictions that are not explained have explanations that are all
 *       zero.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_PREDICT_LEVEL_H
#define PIPELINE_PREDICT_LEVEL_H

#include "base/memory/arena.h"
#include "predict/predict.h"
#include "report/predict/predict_show.h"

struct predict_level {
    struct predict_options options;
    struct prediction prediction;
    struct check *checks;             // by prediction: at ser
    struct explanation *explanations; // likewise
    struct validated validated;       // empty unless the caller fills it
    struct arena marks;               // of the explanations
    struct predict_result result;     // what reports show
};

/* Begin, with the parts of 'result' that are about the history: unknown. */
void predict_level_init(struct predict_level *l,
                        const struct predict_result *history,
                        const struct predict_options *options);

/* Look for predictions in h, which must outlive the level.
 *
 *   require  h is as predict_input_prepare leaves it */
bool predict_level_search(struct predict_level *l, const struct history *h,
                          struct err *err);

/* Explain prediction i. */
bool predict_level_explain(struct predict_level *l, size_t i, unsigned threads,
                           struct err *err);

/* Add the predictions to a report: side by side where it has a format, else as
 * text or JSON. */
void predict_level_show(const struct predict_level *l, bool json,
                        struct report *to);

void predict_level_free(struct predict_level *l);

/* The levels that a request names: "si", "rc,si", "all". */
bool predict_level_parse(const char *levels, level_set *out, struct err *err);

/* Of the answers of several levels: found, then unknown, then none. */
enum predict_answer predict_level_worse(enum predict_answer a,
                                        enum predict_answer b);

#endif
