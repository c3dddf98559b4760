/* predict.c -- see predict.h.
 *
 * What was observed is looked at first, then samples of it, then all of it;
 * prediction_search.c says how.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/predict.h"

#include "history/tested.h"
#include "predict/minimise.h"
#include "predict/prediction_search.h"
#include "verify/absence/verify_absence.h"

#include <stdlib.h>

/* Large executions are first searched with a few boundary candidates only, then
 * with a few others, and so on: the clauses are then few, and mostly one of
 * them has a prediction. */
enum { SAMPLED_FROM = 100, SAMPLE = 32, SAMPLES = 16 };

/* --- answers -------------------------------------------------------------- */

static int
compare_predicted(const void *a, const void *b)
{
    const struct predicted *x = a, *y = b;
    const bool depends = x->must_not_write != ID_NONE || x->is_open;
    if (depends != (y->must_not_write != ID_NONE || y->is_open))
        return depends ? 1 : -1;
    if (x->boundaries != y->boundaries)
        return x->boundaries < y->boundaries ? -1 : 1;
    if (x->changed != y->changed)
        return x->changed < y->changed ? -1 : 1;
    return x->txns < y->txns ? -1 : x->txns > y->txns;
}

/* --- the observed execution itself ---------------------------------------- */

/* Where what was observed is no better than a prediction, it is the answer. */
static bool
prediction_search_at_observed(struct predict_run *run)
{
    const struct observed *o = &run->out->observed;
    if (!o->is_violated || o->n_looped)
        return true;
    struct execution x;
    execution_init(&x, o, run->options->is_strict);
    for (uint32_t t = 0; t < o->n; t++)
        execution_add_base(&x, t);
    bool ok = true;
    if (execution_search_is_prediction(&run->search, &x)) {
        minimise(&run->search, &x);
        ok = run_keep(run, &x);
    }
    execution_free(&x);
    return ok;
}

static void
gather_stats(struct predict_run *run)
{
    struct predict_stats *s = &run->out->stats;
    *s = run->search.stats;
    const struct sat_stats sat = sat_get_stats(run->search.formula.sat);
    s->decisions = sat.decisions;
    s->propagations = sat.propagations;
    s->conflicts = sat.conflicts;
    s->variables = sat_vars(run->search.formula.sat);
    s->picks = run->search.formula.picks.n;
    for (uint32_t t = 0; t < run->out->observed.n; t++)
        s->boundaries += run->search.formula.boundary[t] != VAR_NONE;
}

/* Where there is none, make the evidence and check it. */
static bool
prove(struct predict_run *run)
{
    struct prediction *out = run->out;
    if (out->found.n || run->has_spare || out->is_cut_short ||
        !run->search.is_recorded)
        return true;
    double begin = time_cpu();
    limit_phase("proving");
    if (!absent_make(&run->search.recorder, &run->search.formula, &out->absence,
                     run->err))
        return false;
    out->prove_seconds = time_cpu() - begin;
    begin = time_cpu();
    limit_phase("verifying");
    struct err why = {0};
    const bool ok = verify_absence(out->observed.h, &out->absence, &why);
    out->verify_seconds = time_cpu() - begin;
    return ok || err_set(run->err, ERR_INTERNAL,
                         "bug in assay: the evidence that there is no "
                         "prediction does not hold: %s",
                         why.text);
}

/* Search at a level with the boundary transactions of a sample. */
static bool
search(struct predict_run *run, enum level level, struct sample sample,
       bool is_last)
{
    struct prediction *out = run->out;
    const double begin = time_cpu();
    out->is_cut_short = false;
    limit_phase("predicting");
    execution_search_init(&run->search, &out->observed, run->options, level,
                          sample, &run->limit);
    const bool is_too_large =
        run->search.has_points && run->search.points.is_too_large;
    out->is_cut_short |= is_too_large;
    bool ok = is_too_large || prediction_search_at_observed(run);
    if (ok && !is_too_large && !prediction_search_is_over(run))
        ok = prediction_search_everywhere(run, is_last);
    gather_stats(run);
    out->seconds += time_cpu() - begin;
    ok = ok && prove(run);
    execution_search_free(&run->search);
    return ok;
}

/* Nothing better was found than what was remembered.  Where the caller tries
 * predictions and rows conflict, one that does not hold then is declined. */
static bool
keep_spare(struct predict_run *run)
{
    struct prediction *out = run->out;
    const struct predict_options *o = run->options;
    const struct sample any = {.every = out->observed.n}; // nothing is searched
    execution_search_init(&run->search, &out->observed, o, o->level, any,
                          &run->limit);
    const bool ok = run_keep(run, &run->spare);
    execution_search_free(&run->search);
    if (!ok || !o->accept)
        return ok;
    assert(out->found.n == 1);
    const bool is_conditional = out->found.at[0].is_conditional;
    out->is_declined =
        !o->accept(o->self, &run->spare) || (o->rows && is_conditional);
    if (out->is_declined && !out->declined) { // it is the only one tried
        out->declined = 1;
        out->declined_conditional = is_conditional;
    }
    return true;
}

/* Look for a prediction where it is mostly soon found: in samples; near the
 * pivots; and for pc, among those of si, which are fewer and have pivots. */
static bool
search_quickly(struct predict_run *run)
{
    struct prediction *out = run->out;
    const enum level level = run->options->level;
    const uint32_t every = out->observed.n / SAMPLE;
    bool ok = true;
    for (uint32_t i = 0;
         ok && i < every && i < SAMPLES && !prediction_search_is_over(run); i++)
        ok = search(run, level, (struct sample){every, i, false}, false);
    if (!level_table[level].two_points || run->has_spare)
        return ok;
    if (ok && !prediction_search_is_over(run))
        ok = search(run, LEVEL_SI, (struct sample){0, 0, true}, false);
    if (ok && !level_separates_writers(level) &&
        !prediction_search_is_over(run) && !run->has_spare)
        ok = search(run, LEVEL_SI, (struct sample){0}, false);
    return ok;
}

/* With all transactions as candidates; of a large execution that has a
 * prediction, but not one that is accepted, with one sample. */
static bool
search_thoroughly(struct predict_run *run)
{
    const struct prediction *out = run->out;
    struct sample sample = {0};
    if (run->has_spare && !run->options->accept)
        return true;
    if (run->has_spare && prediction_search_is_large(run))
        sample.every = out->observed.n / SAMPLE;
    return search(run, run->options->level, sample, true);
}

bool
predict(const struct history *h, const struct predict_options *options,
        struct prediction *out, struct err *err)
{
    assert(level_is_used_by(options->level, USED_BY_PREDICT));
    const double begin = time_cpu();
    *out = (struct prediction){0};
    if (!history_is_tested(h)) {
        out->answer = PREDICT_UNKNOWN;
        out->is_untested = true;
        return true;
    }
    struct predict_run run = {
        .options = options,
        .out = out,
        .limit = {.deadline =
                      options->timeout > 0 ? time_now() + options->timeout : 0,
                  .memory = options->memory},
        .err = err};
    if (!observed_init(&out->observed, h, &run.limit, err))
        return false;
    out->observed.rows = options->rows;
    out->seconds = time_cpu() - begin;
    execution_init(&run.spare, &out->observed, options->is_strict);
    execution_init(&run.next, &out->observed, options->is_strict);
    bool ok = true;
    const bool is_serial =
        options->on && database_level_is_serial(options->on, h);
    if (is_serial)
        ; // nothing to search
    else if (out->observed.n >= SAMPLED_FROM && options->most <= 1)
        ok = search_quickly(&run);
    run.passed_over = 0;
    if (ok && !prediction_search_is_over(&run) && !is_serial)
        ok = search_thoroughly(&run);
    if (ok && !out->found.n && run.has_spare)
        ok = keep_spare(&run);
    execution_free(&run.spare);
    execution_free(&run.next);
    assert(ok || err->kind != ERR_NONE);
    if (!ok) {
        prediction_free(out);
        return false;
    }
    if (out->found.n)
        qsort(out->found.at, out->found.n, sizeof *out->found.at,
              compare_predicted);
    out->answer = out->is_declined    ? PREDICT_DECLINED
                  : out->found.n      ? PREDICT_FOUND
                  : out->is_cut_short ? PREDICT_UNKNOWN
                                      : PREDICT_NONE;
    assert((out->answer == PREDICT_NONE) <= !out->found.n);
    assert(out->answer != PREDICT_FOUND || !out->is_declined);
    return true;
}

void
predicted_free(struct predicted *p)
{
    execution_free(&p->execution);
    history_free(&p->history);
    buf_free(&p->signature);
    vec_free(&p->schedule);
}

void
prediction_free(struct prediction *p)
{
    for (size_t i = 0; i < p->found.n; i++)
        predicted_free(&p->found.at[i]);
    vec_free(&p->found);
    absence_free(&p->absence);
    observed_free(&p->observed);
}
