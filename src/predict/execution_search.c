/* execution_search.c -- see execution_search.h.
 *
 * The solver proposes executions that have a dependency cycle under all version
 * orders so far.  A proposal that violates the level teaches a clause (core.c);
 * one that is serializable teaches the version order of its serial order
 * (instance.c); any other is the answer.  Each round excludes its proposal, so
 * the search ends.
 *
 * Of a proposal first only the transactions on its cycles are tried, with what
 * happens before them: that is small to check and small to look at.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/execution_search.h"

#include "predict/execution/approx.h"
#include "predict/formula/core.h"
#include "predict/orders.h"

void
execution_search_init(struct execution_search *s, const struct observed *o,
                      const struct predict_options *options, enum level level,
                      struct sample sample, const struct limit *limit)
{
    const bool is_strict = options->is_strict;
    *s = (struct execution_search){
        .o = o,
        .level = level,
        .is_approximate = options->is_approximate,
        .is_recorded = options->prove && !sample.every && !sample.at_pivots &&
                       !options->is_approximate && level == options->level,
        .limit = *limit};
    s->check = (struct check_options){.threads = 1,
                                      .until = &s->limit,
                                      .is_part = true,
                                      .strong = strong_defaults};
    formula_init(&s->formula, o, level, is_strict);
    s->formula.sample = sample;
    if (s->is_recorded)
        recorder_init(&s->recorder, &s->formula);
    s->has_snapshots = level_table[level].two_points;
    if (s->has_snapshots)
        snapshots_init(&s->snapshots, &s->formula);
    s->has_points = options->on != NULL;
    if (s->has_points)
        points_init(&s->points, &s->formula, options->on);
    formula_add_choices(&s->formula);
    if (s->has_snapshots)
        snapshots_carry(&s->snapshots, &s->formula);
    if (s->has_points)
        points_carry(&s->points, &s->formula);
    if (level_keeps_updates(options->level) && (is_strict || o->rows))
        s->formula.unconditional = formula_var(&s->formula, FACT_WISH, 0, 0, 0);
    // With late locks a transaction reads backwards, which no level allows.
    if (!options->on || !options->on->late_locks)
        formula_add_levels(&s->formula);
    if (level_separates_writers(level))
        formula_add_pivots(&s->formula);
    execution_init(&s->model, o, is_strict);
    execution_init(&s->small, o, is_strict);
    execution_init(&s->trial, o, is_strict);
    s->on = mem_calloc(o->n + 1, sizeof *s->on);
    excerpt_init(&s->part, o);
    s->slot = mem_alloc(o->n + 1, sizeof *s->slot);
    for (uint32_t t = 0; t < o->n; t++)
        s->slot[t] = o->n; // behind all others
    s->readers = mem_calloc(o->n_keys + 1, sizeof *s->readers);
    for (uint32_t r = 0; r < o->reads.n; r++)
        vec_push(&s->readers[o->reads.at[r].key], r);
    if (!sat_is_refuted(s->formula.sat))
        orders_add_slots(s);
}

void
execution_search_free(struct execution_search *s)
{
    formula_free(&s->formula);
    recorder_free(&s->recorder);
    if (s->has_snapshots)
        snapshots_free(&s->snapshots);
    if (s->has_points)
        points_free(&s->points);
    vec_free(&s->schedule);
    execution_free(&s->model);
    execution_free(&s->small);
    execution_free(&s->trial);
    mem_free(s->on);
    mem_free(s->slot);
    for (uint32_t k = 0; k < s->o->n_keys; k++)
        vec_free(&s->readers[k]);
    mem_free(s->readers);
    excerpt_free(&s->part);
    vec_free(&s->origin.txns);
    vec_free(&s->origin.ops);
}

/* --- the model ------------------------------------------------------------ */

static bool
is_true(const struct formula *f, uint32_t var)
{
    return sat_value(f->sat, lit_make(var, false)) > 0;
}

static void
take_boundary(const struct formula *f, struct execution *x, uint32_t t)
{
    const struct observed *o = f->o;
    uint32_t last = o->read_first[t];
    for (uint32_t r = o->read_first[t]; r < o->read_first[t + 1]; r++)
        for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++)
            if (is_true(f, f->picks.at[i].var)) {
                x->writer[r] = f->picks.at[i].writer;
                last = r;
            }
    execution_add_boundary(x, t, last + 1 - o->read_first[t]);
}

void
formula_model(const struct formula *f, struct execution *x, uint8_t *on)
{
    const struct observed *o = f->o;
    execution_clear(x);
    for (uint32_t t = 0; t < o->n; t++) {
        if (is_true(f, f->base[t])) {
            x->role[t] = ROLE_BASE;
            x->reads[t] = observed_reads(o, t);
        } else if (f->boundary[t] != VAR_NONE && is_true(f, f->boundary[t])) {
            take_boundary(f, x, t);
        }
        on[t] = 0;
        for (size_t i = 0; i < f->instances.n; i++)
            on[t] |= is_true(f, f->instances.at[i].on + t);
    }
}

/* What is on the cycles, with what happens before. */
static void
take_small(struct execution_search *s)
{
    const struct observed *o = s->o;
    execution_clear(&s->small);
    for (uint32_t t = 0; t < o->n; t++) {
        if (!s->on[t])
            continue;
        if (s->model.role[t] == ROLE_BASE) {
            execution_add_base(&s->small, t);
            continue;
        }
        assert(s->model.role[t] == ROLE_BOUNDARY);
        execution_add_boundary(&s->small, t, s->model.reads[t]);
        execution_add_base(&s->small, o->prev[t]);
        for (uint32_t r = o->read_first[t];
             r < o->read_first[t] + s->model.reads[t]; r++) {
            s->small.writer[r] = s->model.writer[r];
            execution_add_base(&s->small, s->model.writer[r]);
        }
    }
}

/* --- checking ------------------------------------------------------------- */

static void
take_order(const struct execution_search *s, const struct certificate *c,
           u32_vec *order)
{
    vec_clear(order);
    for (size_t i = 0; i < c->order.n; i++)
        vec_push(order, s->origin.txns.at[c->order.at[i]]);
}

enum verdict
execution_search_check(struct execution_search *s, const struct execution *x,
                       enum level level, u32_vec *order)
{
    struct history h;
    struct check check;
    struct err err = {0};
    execution_history(x, NULL, &h, &s->origin);
    s->check.levels = level_bit(level);
    if (!check_history(&h, &s->check, &check, &err))
        assert(false); // it has no times, and nothing is verified
    const struct certificate *c = &check.results.at[0].certificate;
    const enum verdict verdict = c->verdict;
    if (verdict == VERDICT_VIOLATED) {
        const struct observed *o = s->o;
        memset(s->part.txn, 0, o->n);
        memset(s->part.read, 0, o->reads.n);
        memset(s->part.write, 0, o->writes.n);
        core_gather(x, c, &s->origin, &s->part);
    } else if (verdict == VERDICT_OK && order) {
        take_order(s, c, order);
    }
    check_free(&check);
    history_free(&h);
    return verdict;
}

/* The formula under x as assumptions: its model has an order of the moments. */
enum verdict
execution_search_is_allowed(struct execution_search *s,
                            const struct execution *x)
{
    struct formula *f = &s->formula;
    const struct observed *o = s->o;
    lit_vec assumed = {0};
    for (uint32_t t = 0; t < o->n; t++) {
        vec_push(&assumed, lit_make(f->base[t], x->role[t] != ROLE_BASE));
        if (f->boundary[t] == VAR_NONE)
            continue;
        vec_push(&assumed,
                 lit_make(f->boundary[t], x->role[t] != ROLE_BOUNDARY));
        for (uint32_t r = o->read_first[t];
             x->role[t] == ROLE_BOUNDARY && r < o->read_first[t + 1]; r++) {
            const struct pick *p = formula_pick(f, r, x->writer[r]);
            if (p)
                vec_push(&assumed, lit_make(p->var, false));
        }
    }
    struct budget budget = {UINT64_MAX, &s->limit};
    sat_to_root(f->sat);
    const enum sat_answer answer =
        sat_solve_under(f->sat, assumed.at, assumed.n, &budget);
    vec_free(&assumed);
    if (answer == SAT_TRUE)
        points_order(&s->points, x, &s->schedule);
    const bool runs = answer == SAT_TRUE &&
                      schedule_runs(&s->points.moments, x, &s->schedule);
    assert(runs == (answer == SAT_TRUE));
    return runs                    ? VERDICT_OK
           : answer == SAT_UNKNOWN ? VERDICT_UNKNOWN
                                   : VERDICT_VIOLATED;
}

/* --- rounds --------------------------------------------------------------- */

enum outcome {
    OUTCOME_LIMIT,
    OUTCOME_FOUND,
    OUTCOME_EXCLUDED, // violates the level
    OUTCOME_SERIAL,
    OUTCOME_MISSED, // not serializable, but not shown to be approximately
};

static bool
is_found(const struct execution_search *s, const struct execution *x)
{
    return !s->is_approximate || approx_is_cyclic(x);
}

/* Judge an execution; one that violates the level is excluded. */
static enum outcome
judge(struct execution_search *s, const struct execution *x, u32_vec *order)
{
    // For a database the formula has all that is forbidden.
    switch (s->has_points ? VERDICT_OK
                          : execution_search_check(s, x, s->level, NULL)) {
    case VERDICT_VIOLATED:
        s->stats.cores++;
        formula_add_core(&s->formula, x, &s->part);
        return OUTCOME_EXCLUDED;
    case VERDICT_UNKNOWN:
        return OUTCOME_LIMIT;
    case VERDICT_OK:
        break;
    }
    switch (execution_search_check(s, x, LEVEL_TARGET, order)) {
    case VERDICT_VIOLATED:
        return is_found(s, x) ? OUTCOME_FOUND : OUTCOME_MISSED;
    case VERDICT_UNKNOWN:
        return OUTCOME_LIMIT;
    case VERDICT_OK:
        break;
    }
    return OUTCOME_SERIAL;
}

/* Exclude this model and no other one. */
static void
exclude_model(struct execution_search *s)
{
    struct formula *f = &s->formula;
    const struct execution *x = &s->model;
    for (uint32_t t = 0; t < s->o->n; t++) {
        formula_lit(f, f->base[t], x->role[t] != ROLE_BASE);
        if (f->boundary[t] == VAR_NONE)
            continue;
        formula_lit(f, f->boundary[t], x->role[t] != ROLE_BOUNDARY);
        for (uint32_t r = s->o->read_first[t];
             x->role[t] == ROLE_BOUNDARY && r < s->o->read_first[t + 1]; r++) {
            const struct pick *p = formula_pick(f, r, x->writer[r]);
            if (p && execution_has_read(x, r))
                formula_lit(f, p->var, false);
        }
    }
    formula_add(f, RULE_MISSED, 0, 0, 0, 0);
}

/* Judge the solver's model, and learn from it where it is not the answer. */
static enum outcome
judge_model(struct execution_search *s, u32_vec *order, struct execution *found)
{
    s->stats.rounds++;
    formula_model(&s->formula, &s->model, s->on);
    take_small(s);
    const struct execution *x = &s->small;
    enum outcome outcome = judge(s, x, order);
    if (outcome == OUTCOME_SERIAL || outcome == OUTCOME_MISSED) {
        x = &s->model;
        outcome = judge(s, x, order);
    }
    if (outcome == OUTCOME_FOUND)
        execution_copy(found, x);
    if (outcome == OUTCOME_SERIAL)
        orders_add(s, order);
    if (outcome == OUTCOME_MISSED)
        exclude_model(s);
    return outcome;
}

enum predict_answer
execution_search_under(struct execution_search *s, const lit *assumptions,
                       size_t n, struct execution *found)
{
    u32_vec order = {0};
    enum predict_answer answer = PREDICT_UNKNOWN;
    for (bool more = true; more && !limit_reached(&s->limit);) {
        struct budget budget = {UINT64_MAX, &s->limit};
        switch (sat_solve_under(s->formula.sat, assumptions, n, &budget)) {
        case SAT_TRUE: {
            const enum outcome outcome = judge_model(s, &order, found);
            if (outcome == OUTCOME_FOUND)
                answer = PREDICT_FOUND;
            more = outcome != OUTCOME_FOUND && outcome != OUTCOME_LIMIT;
            break;
        }
        case SAT_FALSE:
            answer = PREDICT_NONE;
            more = false;
            break;
        case SAT_UNKNOWN:
            more = false;
        }
    }
    vec_free(&order);
    return answer;
}

bool
execution_search_is_prediction(struct execution_search *s,
                               const struct execution *x)
{
    if (!s->has_points &&
        execution_search_check(s, x, s->level, NULL) != VERDICT_OK)
        return false;
    return execution_search_check(s, x, LEVEL_TARGET, NULL) ==
               VERDICT_VIOLATED &&
           (!s->has_points ||
            execution_search_is_allowed(s, x) == VERDICT_OK) &&
           is_found(s, x);
}

bool
execution_search_is_unconditional(struct execution_search *s,
                                  const struct execution *x)
{
    if (s->formula.unconditional == VAR_NONE)
        return true;
    execution_copy(&s->trial, x);
    s->trial.goes_on = (uint32_t)s->o->writes.n;
    s->trial.by_rows = s->o->rows != NULL;
    return execution_search_check(s, &s->trial, s->level, NULL) !=
           VERDICT_VIOLATED;
}

void
execution_search_exclude_conditional(struct execution_search *s)
{
    assert(s->formula.unconditional != VAR_NONE);
    sat_to_root(s->formula.sat);
    formula_add_core(&s->formula, &s->trial, &s->part);
}

void
execution_search_exclude(struct execution_search *s, uint32_t wish,
                         const struct execution *x)
{
    struct formula *f = &s->formula;
    const struct observed *o = x->o;
    sat_to_root(f->sat);
    formula_lit(f, wish, false);
    for (uint32_t r = 0; r < o->reads.n; r++)
        if (execution_has_read(x, r) && x->writer[r] != o->reads.at[r].writer)
            formula_lit(f, formula_pick(f, r, x->writer[r])->var, false);
    formula_add(f, RULE_MISSED, 0, 0, 0, 0);
}
