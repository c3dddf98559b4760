/* prediction_search.c -- see prediction_search.h.
 *
 * One boundary transaction is tried before two, and two before any number, so
 * that the first answer is about the simplest there is.  Where more than one
 * is wanted, each transaction in turn is assumed to be a boundary one.
 *
 * A prediction may be declined: it holds on a condition only, or the caller
 * does not accept it.  The search then goes on, first for predictions without
 * a condition; where the caller tries them, for those on a condition as well.
 * The best of those declined is remembered.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/prediction_search.h"

#include "predict/minimise.h"

/* Predictions that may be declined: by a caller, because of a condition, and in
 * an execution that is large; and for each transaction, where more than one
 * prediction is wanted. */
enum { TRIED = 200, CONDITIONAL = 400, TRIED_LARGE = 40, TRIED_EACH = 8 };

enum { LARGE = 250 }; // transactions

enum { GLANCE = 100 }; // conflicts for a first look at a transaction

/* --- what is welcome ------------------------------------------------------ */

bool
prediction_search_is_large(const struct predict_run *run)
{
    return run->out->observed.n >= LARGE;
}

static bool
wants_many(const struct predict_run *run)
{
    return run->options->most > 1;
}

static bool
is_enough(const struct predict_run *run)
{
    return run->out->found.n >= (wants_many(run) ? run->options->most : 1);
}

/* Enough predictions were declined. */
static bool
rejection_limit_reached(const struct predict_run *run)
{
    const bool is_large = prediction_search_is_large(run);
    return !wants_many(run) &&
           (run->out->declined >= (is_large ? TRIED_LARGE : TRIED) ||
            run->passed_over >= (is_large ? TRIED_LARGE : CONDITIONAL));
}

bool
prediction_search_is_over(const struct predict_run *run)
{
    return is_enough(run) || rejection_limit_reached(run);
}

/* How welcome a prediction is: by what the caller says, and then by whether it
 * is unconditional. */
enum { WELCOME = 2 * PREDICT_ACCEPTED };

static unsigned
grade(struct predict_run *run, const struct execution *x)
{
    const struct predict_options *o = run->options;
    const bool is_unconditional =
        execution_search_is_unconditional(&run->search, x);
    if (!is_unconditional)
        execution_search_exclude_conditional(&run->search);
    if (!o->accept)
        return is_unconditional ? WELCOME : 0;
    if (!is_unconditional && !run->takes_conditional)
        return 0;
    const unsigned accepted = o->accept(o->self, x);
    assert(accepted <= PREDICT_ACCEPTED);
    return accepted == PREDICT_ACCEPTED ? WELCOME
                                        : 2 * accepted + is_unconditional;
}

/* Reduce x, unless it is more welcome as it is; how welcome it then is. */
static unsigned
reduce(struct predict_run *run, struct execution *x)
{
    struct execution whole;
    execution_init(&whole, x->o, x->is_strict);
    execution_copy(&whole, x);
    minimise(&run->search, x);
    unsigned reduced = grade(run, x);
    if (reduced < WELCOME) {
        const unsigned as_is = grade(run, &whole);
        if (as_is > reduced) {
            execution_copy(x, &whole);
            reduced = as_is;
        }
    }
    execution_free(&whole);
    return reduced;
}

/* Count x as declined, remember it where it is the best so far, and exclude
 * it. */
static void
decline(struct predict_run *run, const struct execution *x, unsigned how)
{
    const bool is_conditional =
        !execution_search_is_unconditional(&run->search, x);
    const bool is_passed_over =
        is_conditional && !(run->options->accept && run->takes_conditional);
    run->passed_over += is_passed_over;
    run->out->declined += !is_passed_over;
    run->out->declined_conditional += is_conditional && !is_passed_over;
    if (!is_passed_over)
        execution_search_exclude(&run->search, run->untried, x);
    if (run->has_spare && how <= run->spare_grade)
        return;
    execution_copy(&run->spare, x);
    run->spare_grade = how;
    run->has_spare = true;
}

/* --- one look ------------------------------------------------------------- */

struct look {
    lit assumed[4];
    size_t n;
    bool is_brief;
    struct execution *x; // what is found
    enum predict_answer answer;
    bool is_kept;  // and welcome
    bool has_next; // run->next is the first that was not, but will do
};

static void
assume(struct look *l, uint32_t var)
{
    assert(l->n < sizeof l->assumed / sizeof *l->assumed);
    if (var != VAR_NONE)
        l->assumed[l->n++] = lit_make(var, false);
}

/* For something better than what there is, not for long. */
static enum predict_answer
seek(struct predict_run *run, const struct look *l)
{
    struct sat *sat = run->search.formula.sat;
    sat_set_budget(sat, l->is_brief || run->has_spare ? GLANCE : 0);
    const enum predict_answer answer =
        execution_search_under(&run->search, l->assumed, l->n, l->x);
    sat_set_budget(sat, 0);
    return answer;
}

/* Where many are wanted, one that is declined will do for want of a better one,
 * unless the caller did not accept it at all. */
static bool
will_do(const struct predict_run *run, unsigned how)
{
    return wants_many(run) && (!run->options->accept || how > 1);
}

/* Find one prediction under the assumptions: keep it where it is welcome, else
 * decline it. */
static bool
prediction_search_for_one(struct predict_run *run, struct look *l)
{
    l->answer = seek(run, l);
    run->out->is_cut_short |=
        l->answer == PREDICT_UNKNOWN && !l->is_brief && !run->has_spare;
    if (l->answer != PREDICT_FOUND)
        return true;
    const unsigned how = reduce(run, l->x);
    l->is_kept = how == WELCOME;
    if (l->is_kept)
        return run_keep(run, l->x);
    if (!l->has_next && will_do(run, how)) {
        execution_copy(&run->next, l->x);
        l->has_next = true;
    }
    decline(run, l->x, how);
    return true;
}

/* Look under the assumptions until something is welcome; *found: something was
 * found. */
static bool
prediction_search_for_welcome(struct predict_run *run, struct look *l,
                              bool *found)
{
    bool ok = true;
    size_t n = 0;
    do {
        ok = prediction_search_for_one(run, l);
        n += l->answer == PREDICT_FOUND;
    } while (
        ok && !l->is_kept && l->answer == PREDICT_FOUND &&
        (wants_many(run) ? n < TRIED_EACH : !rejection_limit_reached(run)));
    *found = n > 0;
    return ok;
}

/* Look under the assumptions for an unconditional prediction, and where there
 * is none, for any; false on an error. */
static bool
look(struct predict_run *run, struct look *l)
{
    const uint32_t unconditional = run->search.formula.unconditional;
    const bool has_choice =
        !run->takes_conditional && unconditional != VAR_NONE;
    assume(l, run->untried);
    if (has_choice)
        assume(l, unconditional);
    bool found;
    bool ok = prediction_search_for_welcome(run, l, &found);
    const bool is_decided =
        l->is_kept || (wants_many(run) ? l->has_next : run->has_spare);
    if (ok && has_choice && !is_decided) {
        l->n--;
        ok = prediction_search_for_one(run, l);
        found |= l->answer == PREDICT_FOUND;
    }
    if (found)
        l->answer = PREDICT_FOUND;
    return ok && (l->is_kept || !l->has_next || run_keep(run, &run->next));
}

/* --- all of them ---------------------------------------------------------- */

/* At most 'bound' + 1 boundary transactions, or any number of them. */
static bool
prediction_search_up_to(struct predict_run *run, uint32_t bound,
                        struct execution *x)
{
    const struct formula *f = &run->search.formula;
    const struct observed *o = &run->out->observed;
    struct look all = {.x = x};
    if (bound < BOUNDS)
        all.assumed[all.n++] = lit_not(f->bound[bound]);
    const struct look none = all;
    if (!look(run, &all))
        return false;
    for (uint32_t i = 0; all.answer == PREDICT_FOUND && i < o->n; i++) {
        if (prediction_search_is_over(run) || run->out->is_cut_short)
            return true;
        struct look each = none;
        if (f->boundary[o->order[i]] == VAR_NONE)
            continue;
        assume(&each, f->boundary[o->order[i]]);
        if (!look(run, &each))
            return false;
    }
    return true;
}

/* One boundary transaction after the other, none for long: where many have a
 * prediction, one is soon found. */
static bool
glance(struct predict_run *run, struct execution *x)
{
    const struct formula *f = &run->search.formula;
    const struct observed *o = &run->out->observed;
    bool ok = true;
    for (uint32_t i = 0; ok && !prediction_search_is_over(run) && i < o->n;
         i++) {
        const uint32_t t = o->order[i];
        if (f->boundary[t] == VAR_NONE || sat_is_refuted(f->sat))
            continue;
        struct look l = {.is_brief = true, .x = x};
        l.assumed[l.n++] = lit_not(f->bound[0]);
        assume(&l, f->boundary[t]);
        ok = look(run, &l);
        if (limit_reached(&run->limit))
            break;
    }
    return ok;
}

static bool
prediction_search_once(struct predict_run *run, struct execution *x)
{
    bool ok = wants_many(run) || glance(run, x);
    for (uint32_t bound = 0; ok && bound <= BOUNDS; bound++) {
        if (run->out->found.n || rejection_limit_reached(run) ||
            run->out->is_cut_short || sat_is_refuted(run->search.formula.sat))
            break;
        ok = prediction_search_up_to(run, bound, x);
    }
    return ok;
}

bool
prediction_search_everywhere(struct predict_run *run, bool is_last)
{
    struct formula *f = &run->search.formula;
    struct execution x;
    execution_init(&x, &run->out->observed, run->options->is_strict);
    run->takes_conditional = false;
    run->untried =
        run->options->accept ? formula_var(f, FACT_WISH, 0, 0, 0) : VAR_NONE;
    bool ok = prediction_search_once(run, &x);
    if (ok && is_last && run->options->accept && run->has_spare &&
        f->unconditional != VAR_NONE && !run->out->found.n) {
        run->takes_conditional = true;
        run->passed_over = 0;
        ok = prediction_search_once(run, &x);
    }
    execution_free(&x);
    return ok;
}
