/* predict_run.h -- histories from files to predictions and a report: read,
 * predict, validate, check again, explain, show.
 *
 *     struct prediction_run run = {.request = request};
 *     report_begin(&run.report, format, &style);
 *     predict_run_history(&run, path, path, &answer, &err); // for each
 *     report_end(&run.report);  ... run.report.out ...
 *
 * Nothing here prints.  The user's limits hold in every phase: what came before
 * a limit stands.  Where there are limits, the work runs in a child process
 * (base/limits/limit.h), and so do the callbacks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_PREDICT_RUN_H
#define PIPELINE_PREDICT_RUN_H

#include "format/format.h"
#include "predict/predict_input.h"
#include "report/predict/predict_show.h"

struct predict_request {
    const char *format;             // of the input, or "auto"
    level_set levels;               // among PREDICT_LEVELS
    struct predict_options predict; // the run sets the level
    bool validate;                  // try the predictions
    struct validation validation;   // likewise
    struct predict_input input;
    struct limits limits; // of each level
    unsigned threads;
    const char *predicted;        // the directory for predictions, or NULL
    const struct format *written; // their format
    const char *certificate;      // where a proof of absence goes, or NULL
    bool json; // without a format of the report: JSON instead of text
};

/* Callbacks, each of which may be NULL. */
struct predict_observer {
    void *self;
    /* A phase, "reading", begins and ends. */
    void (*begin)(void *self, const char *phase, const char *path);
    void (*end)(void *self);
    /* Lines for the user, about a history unless path is NULL. */
    void (*notes)(void *self, const char *path, const struct buf *notes);
    /* A level is done, and in the report. */
    void (*level)(void *self, const struct predict_result *r);
};

struct prediction_run {
    struct predict_request request;
    struct report report; // without a format, text or JSON
    struct report *page;  // that predictions are added to as well, or NULL
    struct predict_observer observer;
};

/* Try predictions on the database that was observed as well, where its sessions
 * can be driven in lock step. */
void predict_run_on(struct prediction_run *run, const char *target);

/* Predict from one history, at each level, and add the results to the report.
 * 'name' is what the report calls it.  *out is the worst answer: found, then
 * unknown, then none.  On failure the report has nothing of this history. */
bool predict_run_history(struct prediction_run *run, const char *path,
                         const char *name, enum predict_answer *out,
                         struct err *err);

#endif
