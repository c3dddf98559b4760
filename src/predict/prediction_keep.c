/* prediction_keep.c -- see run.h: what the search found, made fit to be shown.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/run.h"

#include "predict/execution/signature.h"
#include "predict/execution/tell.h"

/* Where boundary transactions of x go on to do all that was observed, some key
 * that they must not write if the level is to hold; or ID_NONE. */
static key_id
find_lost_write(struct predict_run *run, const struct execution *x)
{
    const struct observed *o = x->o;
    const enum level level = run->options->level;
    struct execution trial;
    key_id found = ID_NONE;
    execution_init(&trial, o, x->is_strict);
    execution_copy(&trial, x);
    trial.goes_on = (uint32_t)o->writes.n;
    const bool is_lost = execution_search_check(&run->search, &trial, level,
                                                NULL) == VERDICT_VIOLATED;
    for (uint32_t w = 0; is_lost && found == ID_NONE && w < o->writes.n; w++) {
        trial.goes_on = w + 1;
        if (x->role[o->writes.at[w].txn] == ROLE_BOUNDARY &&
            !execution_has_write(x, w) &&
            execution_search_check(&run->search, &trial, level, NULL) ==
                VERDICT_VIOLATED)
            found = o->writes.at[w].key;
    }
    execution_free(&trial);
    return found;
}

static void
describe(struct predict_run *run, struct predicted *p)
{
    const struct execution *x = &p->execution;
    const struct limit *until = run->search.check.until;
    run->search.check.until =
        NULL; // a limit must not change what is said of it
    p->boundaries = execution_boundaries(x);
    p->changed = execution_changed(x);
    p->txns = execution_txns(x);
    p->is_replay = true;
    for (uint32_t r = 0; r < x->o->reads.n; r++)
        if (execution_has_read(x, r) && !tell_is_same_value(x, r))
            p->is_replay = false;
    p->must_not_write = ID_NONE;
    for (uint32_t t = 0; run->search.has_points && t < x->o->n; t++)
        p->is_open |=
            x->role[t] != ROLE_OUT && run->search.points.moments.is_unknown[t];
    p->is_conditional = !execution_search_is_unconditional(&run->search, x);
    if (p->is_conditional && x->is_strict)
        p->must_not_write = find_lost_write(run, x);
    // The last check leaves in 'part' why x is not serializable.
    execution_search_check(&run->search, x, LEVEL_TARGET, NULL);
    signature_of(x, &run->search.part, &p->signature);
    run->search.check.until = until;
}

/* Verify the prediction that is about to be reported. */
static bool
confirm(struct predict_run *run, const struct history *h)
{
    const struct check_options options = {
        .levels = level_bit(LEVEL_TARGET) |
                  (run->options->on ? 0 : level_bit(run->options->level)),
        .threads = 1,
        .verify = true,
        .strong = strong_defaults};
    struct check check;
    if (!check_history(h, &options, &check, run->err))
        return false;
    bool ok = true;
    for (size_t i = 0; i < check.results.n; i++)
        ok &= check.results.at[i].certificate.verdict ==
              (check.results.at[i].level == LEVEL_TARGET ? VERDICT_VIOLATED
                                                         : VERDICT_OK);
    check_free(&check);
    return ok || err_set(run->err, ERR_INTERNAL,
                         "bug in assay: a predicted execution is not what it "
                         "should be");
}

static bool
is_known(const struct prediction *out, const struct predicted *p)
{
    for (size_t i = 0; i < out->found.n; i++)
        if (strcmp(out->found.at[i].signature.at, p->signature.at) == 0)
            return true;
    return false;
}

bool
run_keep(struct predict_run *run, const struct execution *x)
{
    struct predicted p = {0};
    execution_init(&p.execution, x->o, x->is_strict);
    execution_copy(&p.execution, x);
    describe(run, &p);
    if (run->search.has_points) {
        if (execution_search_is_allowed(&run->search, x) != VERDICT_OK) {
            predicted_free(&p);
            run->out->is_cut_short = true; // at a limit
            return true;
        }
        for (size_t i = 0; i < run->search.schedule.n; i++)
            vec_push(&p.schedule, run->search.schedule.at[i]);
    }
    const bool known = is_known(run->out, &p);
    run->out->similar += known;
    if (!known && tell_execution(x, &p.history, run->err) &&
        confirm(run, &p.history)) {
        vec_push(&run->out->found, p);
        return true;
    }
    predicted_free(&p);
    return known;
}
