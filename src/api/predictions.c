/* predictions.c -- what could have happened, from a history that went well; see
 * assay.h.
 *
 * Each level is searched in one context and its predictions are explained in
 * another one.  A limit that ends the first makes the level unknown; one that
 * ends the second leaves predictions without anomalies.  Levels that were done
 * before keep their answers.
 *
 * SPDX-License-Identifier: MIT */
#include "api/prediction.h"

#include "api/text_stream.h"
#include "base/memory/mem.h"
#include "history/summary.h"
#include "predict/predict_input.h"
#include "report/parts.h"
#include "version.h"

#include <assert.h>
#include <string.h>

/* The search ends by itself after this share of the time that is left, so that
 * what it has found is explained. */
static const double SEARCH_SHARE = 0.9;

/* --- predicting ------------------------------------------------------------*/

struct predicting {
    struct assay_prediction *p;
    const char *levels;
    size_t most;
    struct predict_options options;
    level_set chosen;
    struct predict_input input;
    double deadline; // 0: none
    struct predict_level *level;
    struct err err;
};

static double
seconds_of(const struct assay *a)
{
    return (double)a->options[ASSAY_TIMEOUT_MS] / 1000;
}

static unsigned
threads_of(const struct assay_prediction *p)
{
    return (unsigned)p->a->options[ASSAY_THREADS];
}

/* Which levels are asked for: some of the table, or a database at one of its
 * own. */
static bool
choose_levels(struct predicting *w)
{
    const struct assay *a = w->p->a;
    w->options = (struct predict_options){.prove = a->options[ASSAY_VERIFY],
                                          .most = w->most};
    w->options.on = database_level_find(w->levels);
    if (!w->options.on)
        return predict_level_parse(w->levels, &w->chosen, &w->err);
    w->chosen = level_bit(w->options.on->level);
    w->input.with_locks = true;
    w->options.prove = false;
    return true;
}

/* Make the input of the search: registers by a serial order, or the history
 * itself. */
static void
prepare(void *self)
{
    struct predicting *w = self;
    struct assay_prediction *p = w->p;
    struct history input = p->h->h;
    context_phase("reading");
    if (!choose_levels(w))
        return;
    summary_sizes(&input, &p->summary);
    w->input.threads = threads_of(p);
    w->input.is_lent = true;
    if (predict_input_prepare(&input, &w->input, &w->err))
        p->input = input;
}

static void
search(void *self)
{
    struct predicting *w = self;
    context_phase("predicting");
    (void)predict_level_search(w->level, &w->p->input, &w->err);
}

static void
explain(void *self)
{
    struct predicting *w = self;
    bool ok = true;
    context_phase("explaining");
    for (size_t i = 0; ok && i < w->level->prediction.found.n; i++)
        ok = predict_level_explain(w->level, i, threads_of(w->p), &w->err);
}

enum part_end {
    DONE,
    FAILED,    // the error of the thread says why; its memory is as it left it
    CANCELLED, // likewise, and its memory is gone
    LIMITED,   // a limit was reached, which *stop has; its memory is gone
};

/* Run a part of the work with what is left of the limits. */
static enum part_end
run_part(struct predicting *w, void (*part)(void *self),
         struct limit_stop *stop)
{
    struct context c;
    handle_context(w->p->a, true, &c);
    c.deadline = w->deadline;
    *stop = (struct limit_stop){0};
    if (context_run(&c, part, w)) {
        if (w->err.kind)
            handle_fail_err(&w->err);
        return w->err.kind ? FAILED : DONE;
    }
    w->err = (struct err){0};
    handle_fail_stop(&c.stop);
    if (c.stop.kind != LIMIT_TIME && c.stop.kind != LIMIT_MEMORY &&
        c.stop.kind != LIMIT_CAPACITY)
        return CANCELLED;
    *stop = c.stop;
    stop->seconds = seconds_of(w->p->a);
    return LIMITED;
}

/* Forget explanations that an abandoned context has freed. */
static void
forget_explanations(struct predict_level *l)
{
    for (size_t i = 0; i < l->prediction.found.n; i++) {
        l->checks[i] = (struct check){0};
        l->explanations[i] = (struct explanation){0};
    }
    l->marks = (struct arena){0};
}

/* Predict at one level; false where the call as a whole fails. */
static bool
predict_one(struct predicting *w, enum level level)
{
    struct assay_prediction *p = w->p;
    struct predict_level *l = w->level = &p->levels[p->n];
    const struct predict_result about = {
        .path = p->name, .format = p->h->format->name, .summary = &p->summary};
    struct limit_stop stop;
    w->options.level = level;
    const double left = w->deadline - time_now();
    w->options.timeout =
        w->deadline > 0 ? (left > 0 ? left * SEARCH_SHARE : 1e-9) : 0;
    predict_level_init(l, &about, &w->options);
    const enum part_end searched = run_part(w, search, &stop);
    if (searched != DONE) {
        predict_level_init(l, &about, &w->options); // the rest is gone
        l->result.stop = stop;
        p->n += searched == LIMITED;
        return searched == LIMITED;
    }
    p->n++;
    if (l->prediction.answer == PREDICT_UNKNOWN && !l->prediction.is_untested)
        l->result.stop = (struct limit_stop){.kind = LIMIT_TIME,
                                             .phase = "predicting",
                                             .seconds = seconds_of(p->a)};
    if (!l->prediction.found.n)
        return true;
    const enum part_end explained = run_part(w, explain, &l->result.stop);
    if (explained == CANCELLED || explained == LIMITED)
        forget_explanations(l);
    return explained == DONE || explained == LIMITED;
}

static bool
predict_all(struct predicting *w)
{
    struct limit_stop stop;
    const double seconds = seconds_of(w->p->a);
    w->deadline = seconds > 0 ? time_now() + seconds : 0;
    if (run_part(w, prepare, &stop) != DONE)
        return false;
    for (enum level level = 0; level < LEVELS; level++)
        if (level_set_has(w->chosen, level) && !predict_one(w, level))
            return false;
    handle_clear_error();
    return true;
}

assay_prediction *
assay_predict(assay *a, const assay_history *h, const char *levels, size_t most)
{
    if (!h && assay_error_status() != ASSAY_OK)
        return NULL; // the call that made no history says why
    handle_clear_error();
    if (!a || !h || !levels) {
        handle_fail(ASSAY_E_USAGE, "no assay, no history or no levels");
        return NULL;
    }
    struct assay_prediction *p = handle_alloc(sizeof *p);
    if (!p)
        return NULL;
    p->a = handle_keep(a);
    p->h = handle_keep_history(h);
    p->input = p->h->h;
    p->name = handle_copy(p->h->name);
    struct predicting w = {.p = p, .levels = levels, .most = most};
    if (p->name && predict_all(&w))
        return p;
    assay_prediction_free(p);
    return NULL;
}

void
assay_prediction_free(assay_prediction *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->n; i++)
        predict_level_free(&p->levels[i]);
    if (p->input.op_value != p->h->h.op_value)
        history_free(&p->input);
    for (size_t f = 0; f < RESULT_FORMATS; f++)
        buf_free(&p->texts[f]);
    buf_free(&p->predicted);
    mem_free(p->name);
    assay_history_free(p->h);
    assay_free(p->a);
    mem_free(p);
}

/* --- answers ---------------------------------------------------------------*/

static const struct predict_level *
row_of(const assay_prediction *p, size_t row)
{
    return p && row < p->n ? &p->levels[row] : NULL;
}

/* 'complete': what holds as far as it was recorded is unknown. */
static assay_answer_t
answer_of(const struct predict_level *l, bool complete)
{
    const enum predict_answer a = l->result.answer;
    return a == PREDICT_FOUND ? ASSAY_PREDICTED
           : a == PREDICT_NONE && !(complete && l->result.gaps[0])
               ? ASSAY_NONE_PREDICTED
               : ASSAY_PREDICTION_UNKNOWN;
}

assay_answer_t
assay_answer(const assay_prediction *p)
{
    if (!p || !p->n)
        return ASSAY_PREDICTION_UNKNOWN;
    assay_answer_t worst = ASSAY_NONE_PREDICTED;
    for (size_t i = 0; i < p->n; i++) {
        const assay_answer_t answer =
            answer_of(&p->levels[i], p->a->options[ASSAY_COMPLETE]);
        if (answer == ASSAY_PREDICTED)
            return answer;
        if (answer != ASSAY_NONE_PREDICTED)
            worst = answer;
    }
    return worst;
}

size_t
assay_prediction_levels(const assay_prediction *p)
{
    return p ? p->n : 0;
}

const char *
assay_prediction_level(const assay_prediction *p, size_t row)
{
    const struct predict_level *l = row_of(p, row);
    return l ? predict_brief(&l->options) : NULL;
}

assay_answer_t
assay_prediction_answer(const assay_prediction *p, size_t row)
{
    const struct predict_level *l = row_of(p, row);
    return l ? answer_of(l, false) : ASSAY_PREDICTION_UNKNOWN;
}

size_t
assay_predictions(const assay_prediction *p, size_t row)
{
    const struct predict_level *l = row_of(p, row);
    return l && l->result.answer == PREDICT_FOUND ? l->prediction.found.n : 0;
}

/* Prediction i of a row, or NULL. */
static const struct predicted *
find(const assay_prediction *p, size_t row, size_t i)
{
    return i < assay_predictions(p, row)
               ? &p->levels[row].prediction.found.at[i]
               : NULL;
}

const assay_anomaly *
assay_predicted_anomaly(const assay_prediction *p, size_t row, size_t i)
{
    if (!find(p, row, i) || !p->levels[row].explanations[i].anomalies.n)
        return NULL;
    return (const assay_anomaly *)(const void *)&p->levels[row]
        .explanations[i]
        .anomalies.at[0];
}

/* --- reports ---------------------------------------------------------------*/

struct showing {
    const struct assay_prediction *p;
    const struct report_format *format;
    const struct predicted *predicted;
    struct buf out;
    struct err err;
};

static void
show(void *self)
{
    struct showing *w = self;
    const struct assay_prediction *p = w->p;
    const bool json = w->format == &report_json;
    struct report to;
    report_begin(&to, json || w->format == &report_text ? NULL : w->format,
                 &(struct report_style){.version = ASSAY_VERSION});
    if (json)
        predict_show_begin_json(&p->levels[0].result, &to.out);
    for (size_t i = 0; i < p->n; i++)
        predict_level_show(&p->levels[i], json, &to);
    if (json)
        predict_show_end_json(&to.out);
    report_end(&to);
    buf_grow(&to.out, 0);
    w->out = to.out;
}

const char *
assay_prediction_text(assay_prediction *p, const char *format, size_t *len)
{
    struct showing w = {.p = p, .format = format ? report_find(format) : NULL};
    if (len)
        *len = 0;
    if (!p || !w.format || w.format->is_for_tests) {
        handle_fail(ASSAY_E_USAGE, "no prediction, or an unknown format of "
                                   "reports about predictions");
        return NULL;
    }
    if (handle_run(p->a, show, &w, &w.err) != ASSAY_OK)
        return NULL;
    size_t row = 0;
    while (report_table[row] != w.format)
        row++;
    assert(row < RESULT_FORMATS);
    buf_free(&p->texts[row]);
    p->texts[row] = w.out;
    if (len)
        *len = w.out.n;
    return w.out.at;
}

static void
write_predicted(void *self)
{
    struct showing *w = self;
    if (w->predicted->history.key_rows)
        err_set(&w->err, ERR_FEATURE,
                "predictions about rows, which were made registers, cannot be "
                "written as histories");
    else
        text_stream_history(&w->predicted->history, format_find("jsonl"),
                            &w->out, &w->err);
}

const char *
assay_predicted_history(assay_prediction *p, size_t row, size_t i, size_t *len)
{
    struct showing w = {.p = p, .predicted = find(p, row, i)};
    if (len)
        *len = 0;
    if (!w.predicted) {
        handle_fail(ASSAY_E_USAGE, "no such prediction");
        return NULL;
    }
    if (handle_run(p->a, write_predicted, &w, &w.err) != ASSAY_OK)
        return NULL;
    buf_free(&p->predicted);
    p->predicted = w.out;
    if (len)
        *len = w.out.n;
    return w.out.at;
}
