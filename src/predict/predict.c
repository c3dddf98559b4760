/* predict.c -- see predict.h.
 *
 * One boundary transaction is tried before two, and two before any number, so
 * that the first answer is about the simplest there is.  Where more than one
 * is wanted, each transaction in turn is assumed to be a boundary one.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/predict.h"

#include "predict/minimise.h"
#include "predict/run.h"
#include "verify/absence/verify_absence.h"

#include <stdlib.h>

/* Predictions to look at for a welcome one: with the same boundary transaction,
 * and in all where each of them is tried, unless the execution is large. */
enum { ALTERNATIVES = 40, TRIED = 200, LARGE = 250 };

/* Large executions are first searched with a few boundary candidates only, then
 * with a few others, and so on: the clauses are then few, and mostly one of
 * them has a prediction. */
enum { SAMPLED_FROM = 100, SAMPLE = 32, SAMPLES = 16 };

enum { GLANCE = 100 }; // conflicts for a first look at a transaction

/* --- the search ----------------------------------------------------------- */

static bool
is_enough(const struct predict_run *run)
{
    const size_t most = run->options->most ? run->options->most : 1;
    return run->out->found.n >= most;
}

/* Enough predictions were not welcome; the first of them will do. */
static bool
is_weary(const struct predict_run *run)
{
    const bool is_patient =
        run->options->accept && run->out->observed.n < LARGE;
    return run->rejected >= (is_patient ? TRIED : ALTERNATIVES);
}

/* Whether a boundary transaction would lose, were it to go on as observed. */
static bool
is_conditional(struct predict_run *run, const struct execution *x)
{
    return x->is_strict &&
           (run->options->level == LEVEL_PSI ||
            run->options->level == LEVEL_SI) &&
           run_find_lost_write(run, x) != ID_NONE;
}

/* How welcome a prediction is: one that depends on nothing, and that a caller
 * who asked accepts, is WELCOME. */
enum { CONDITIONAL, WELCOME = 1 + PREDICT_ACCEPTED };

static unsigned
grade(struct predict_run *run, const struct execution *x)
{
    const struct predict_options *o = run->options;
    return is_conditional(run, x) ? CONDITIONAL
           : o->accept            ? 1 + o->accept(o->self, x)
                                  : WELCOME;
}

/* Reduce x, unless it is more welcome as it is; how welcome it then is. */
static unsigned
reduce(struct predict_run *run, struct execution *x)
{
    struct execution whole;
    execution_init(&whole, x->o, x->is_strict);
    execution_copy(&whole, x);
    minimise(&run->seek, x);
    unsigned reduced = grade(run, x);
    if (reduced < WELCOME && x->o->n < LARGE) {
        const unsigned as_is = grade(run, &whole);
        if (as_is > reduced) {
            execution_copy(x, &whole);
            reduced = as_is;
        }
    }
    execution_free(&whole);
    return reduced;
}

/* Remember the most welcome of those that are not WELCOME. */
static void
remember(struct predict_run *run, const struct execution *x, unsigned how)
{
    if (run->has_spare && how <= run->spare_grade)
        return;
    execution_copy(&run->spare, x);
    run->spare_grade = how;
    run->has_spare = true;
}

/* Look under assumptions, but not for long. */
static enum predict_answer
seek_briefly(struct predict_run *run, const lit *assumptions, size_t n,
             struct execution *x)
{
    struct sat *sat = run->seek.formula.sat;
    sat_set_budget(sat, GLANCE);
    const enum predict_answer answer =
        seek_under(&run->seek, assumptions, n, x);
    sat_set_budget(sat, 0);
    return answer;
}

/* Where 'wish' holds, the boundary transactions of x do not change all the
 * reads that they change in x in the same way. */
static void
wish_for_others(struct predict_run *run, uint32_t wish,
                const struct execution *x)
{
    struct formula *f = &run->seek.formula;
    const struct observed *o = x->o;
    sat_to_root(f->sat);
    formula_lit(f, wish, false);
    for (uint32_t r = 0; r < o->reads.n; r++)
        if (execution_has_read(x, r) && x->writer[r] != o->reads.at[r].writer)
            formula_lit(f, formula_pick(f, r, x->writer[r])->var, false);
    formula_add(f, RULE_MISSED, 0, 0, 0, 0);
}

/* Replace x, which is not welcome, by a prediction that is, where one is found
 * soon. */
static bool
look_for_welcome(struct predict_run *run, const lit *assumptions, size_t n,
                 struct execution *x)
{
    struct formula *f = &run->seek.formula;
    lit assumed[4];
    assert(n < sizeof assumed / sizeof *assumed);
    memcpy(assumed, assumptions, n * sizeof *assumed);
    const uint32_t wish = formula_var(f, FACT_WISH, 0, 0, 0);
    assumed[n] = lit_make(wish, false);
    struct execution other;
    execution_init(&other, x->o, x->is_strict);
    execution_copy(&other, x);
    unsigned how = CONDITIONAL;
    for (int i = 0; how < WELCOME && i < ALTERNATIVES && !is_weary(run); i++) {
        run->rejected++;
        wish_for_others(run, wish, &other);
        if (seek_briefly(run, assumed, n + 1, &other) != PREDICT_FOUND)
            break;
        how = reduce(run, &other);
        if (how < WELCOME)
            remember(run, &other, how);
    }
    if (how == WELCOME)
        execution_copy(x, &other);
    execution_free(&other);
    return how == WELCOME;
}

/* Keep what was found under assumptions, or something better.  Where one
 * prediction is wanted and this one is not welcome, it is only remembered. */
static bool
keep_best(struct predict_run *run, const lit *assumptions, size_t n,
          struct execution *x)
{
    const unsigned how = reduce(run, x);
    if (how == WELCOME)
        return run_keep(run, x);
    remember(run, x, how);
    return !(look_for_welcome(run, assumptions, n, x) ||
             run->options->most > 1) ||
           run_keep(run, x);
}

/* Look under assumptions and keep what is found; false on an error. */
static bool
look(struct predict_run *run, const lit *assumptions, size_t n,
     struct execution *x, enum predict_answer *answer)
{
    // For something better than what there is, not for long.
    *answer = run->has_spare ? seek_briefly(run, assumptions, n, x)
                             : seek_under(&run->seek, assumptions, n, x);
    run->out->is_cut_short |= *answer == PREDICT_UNKNOWN && !run->has_spare;
    return *answer != PREDICT_FOUND || keep_best(run, assumptions, n, x);
}

/* At most 'bound' + 1 boundary transactions, or any number of them. */
static bool
look_up_to(struct predict_run *run, uint32_t bound, struct execution *x)
{
    const struct formula *f = &run->seek.formula;
    lit assumptions[2];
    size_t n = 0;
    if (bound < BOUNDS)
        assumptions[n++] = lit_not(f->bound[bound]);
    enum predict_answer answer;
    if (!look(run, assumptions, n, x, &answer))
        return false;
    const struct observed *o = &run->out->observed;
    for (uint32_t i = 0; answer == PREDICT_FOUND && i < o->n; i++) {
        const uint32_t t = o->order[i];
        if (is_enough(run) || is_weary(run) || run->out->is_cut_short)
            return true;
        if (f->boundary[t] == VAR_NONE)
            continue;
        assumptions[n] = lit_make(f->boundary[t], false);
        enum predict_answer each;
        if (!look(run, assumptions, n + 1, x, &each))
            return false;
    }
    return true;
}

/* One boundary transaction after the other, none for long: where many have a
 * prediction, one is soon found. */
static bool
glance(struct predict_run *run, struct execution *x)
{
    struct formula *f = &run->seek.formula;
    const struct observed *o = &run->out->observed;
    bool ok = true;
    for (uint32_t i = 0; ok && !run->out->found.n && !is_weary(run) && i < o->n;
         i++) {
        const uint32_t t = o->order[i];
        if (f->boundary[t] == VAR_NONE || sat_is_refuted(f->sat))
            continue;
        const lit assumed[] = {lit_not(f->bound[0]),
                               lit_make(f->boundary[t], false)};
        const enum predict_answer answer = seek_briefly(run, assumed, 2, x);
        if (limit_reached(&run->seek.limit))
            break;
        if (answer == PREDICT_FOUND)
            ok = keep_best(run, assumed, 2, x);
    }
    return ok;
}

static bool
look_everywhere(struct predict_run *run)
{
    struct execution x;
    execution_init(&x, &run->out->observed, run->options->is_strict);
    bool ok = run->options->most > 1 || glance(run, &x);
    for (uint32_t bound = 0; ok && bound <= BOUNDS; bound++) {
        if (run->out->found.n || is_weary(run) || run->out->is_cut_short ||
            sat_is_refuted(run->seek.formula.sat))
            break;
        ok = look_up_to(run, bound, &x);
    }
    execution_free(&x);
    return ok;
}

static int
compare_predicted(const void *a, const void *b)
{
    const struct predicted *x = a, *y = b;
    const bool depends = x->must_not_write != ID_NONE;
    if (depends != (y->must_not_write != ID_NONE))
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
look_at_observed(struct predict_run *run)
{
    const struct observed *o = &run->out->observed;
    if (!o->is_violated || o->n_looped)
        return true;
    struct execution x;
    execution_init(&x, o, run->options->is_strict);
    for (uint32_t t = 0; t < o->n; t++)
        execution_add_base(&x, t);
    bool ok = true;
    if (seek_is_prediction(&run->seek, &x)) {
        minimise(&run->seek, &x);
        ok = run_keep(run, &x);
    }
    execution_free(&x);
    return ok;
}

static void
gather_stats(struct predict_run *run)
{
    struct predict_stats *s = &run->out->stats;
    *s = run->seek.stats;
    const struct sat_stats sat = sat_get_stats(run->seek.formula.sat);
    s->decisions = sat.decisions;
    s->propagations = sat.propagations;
    s->conflicts = sat.conflicts;
    s->variables = sat_vars(run->seek.formula.sat);
    s->picks = run->seek.formula.picks.n;
    for (uint32_t t = 0; t < run->out->observed.n; t++)
        s->boundaries += run->seek.formula.boundary[t] != VAR_NONE;
}

/* Where there is none, make the evidence and check it. */
static bool
prove(struct predict_run *run)
{
    struct prediction *out = run->out;
    if (out->found.n || run->has_spare || out->is_cut_short ||
        !run->seek.is_recorded)
        return true;
    double begin = time_cpu();
    if (!absent_make(&run->seek.recorder, &run->seek.formula, &out->absence,
                     run->err))
        return false;
    out->prove_seconds = time_cpu() - begin;
    begin = time_cpu();
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
       const struct limit *limit)
{
    struct prediction *out = run->out;
    const double begin = time_cpu();
    out->is_cut_short = false;
    seek_init(&run->seek, &out->observed, run->options, level, sample, limit);
    bool ok = look_at_observed(run);
    if (ok && !is_enough(run))
        ok = look_everywhere(run);
    gather_stats(run);
    out->seconds += time_cpu() - begin;
    ok = ok && prove(run);
    seek_free(&run->seek);
    return ok;
}

/* Nothing better was found than what was remembered. */
static bool
keep_spare(struct predict_run *run, const struct limit *limit)
{
    struct prediction *out = run->out;
    const struct sample any = {.every = out->observed.n}; // nothing is searched
    seek_init(&run->seek, &out->observed, run->options, run->options->level,
              any, limit);
    const bool ok = run_keep(run, &run->spare);
    seek_free(&run->seek);
    return ok;
}

static bool
is_done(const struct predict_run *run)
{
    return run->out->found.n || is_weary(run);
}

/* Look for a prediction where it is mostly soon found: in samples; near the
 * pivots; and for pc, among those of si, which are fewer and have pivots. */
static bool
search_quickly(struct predict_run *run, const struct limit *limit)
{
    struct prediction *out = run->out;
    const enum level level = run->options->level;
    const uint32_t every = out->observed.n / SAMPLE;
    bool ok = true;
    for (uint32_t i = 0; ok && i < every && i < SAMPLES && !is_done(run); i++)
        ok = search(run, level, (struct sample){every, i, false}, limit);
    if ((level != LEVEL_SI && level != LEVEL_PC) || run->has_spare)
        return ok;
    if (ok && !is_done(run))
        ok = search(run, LEVEL_SI, (struct sample){0, 0, true}, limit);
    if (ok && level == LEVEL_PC && !is_done(run) && !run->has_spare)
        ok = search(run, LEVEL_SI, (struct sample){0}, limit);
    return ok;
}

bool
predict(const struct history *h, const struct predict_options *options,
        struct prediction *out, struct err *err)
{
    assert(options->level >= LEVEL_RC && options->level <= LEVEL_SI);
    const double begin = time_cpu();
    *out = (struct prediction){0};
    const struct limit limit = {
        .deadline = options->timeout > 0 ? time_now() + options->timeout : 0,
        .memory = options->memory};
    if (!observed_init(&out->observed, h, &limit, err))
        return false;
    out->seconds = time_cpu() - begin;
    struct predict_run run = {.options = options, .out = out, .err = err};
    execution_init(&run.spare, &out->observed, options->is_strict);
    bool ok = true;
    if (out->observed.n >= SAMPLED_FROM && options->most <= 1)
        ok = search_quickly(&run, &limit);
    if (ok && !out->found.n && !run.has_spare)
        ok = search(&run, options->level, (struct sample){0}, &limit);
    if (ok && !out->found.n && run.has_spare)
        ok = keep_spare(&run, &limit);
    execution_free(&run.spare);
    if (!ok) {
        prediction_free(out);
        return false;
    }
    if (out->found.n)
        qsort(out->found.at, out->found.n, sizeof *out->found.at,
              compare_predicted);
    out->answer = out->found.n        ? PREDICT_FOUND
                  : out->is_cut_short ? PREDICT_UNKNOWN
                                      : PREDICT_NONE;
    return true;
}

void
predicted_free(struct predicted *p)
{
    execution_free(&p->execution);
    history_free(&p->history);
    buf_free(&p->signature);
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
