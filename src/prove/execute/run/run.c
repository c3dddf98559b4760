/* run.c -- statements on concrete data; see run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/run/run.h"

#include "prove/execute/runner.h"

#include "prove/program/access.h"

#include <string.h>

enum { MOST_ITERATIONS = 1000 }; // of one loop

enum flow { FLOW_NEXT, FLOW_EXIT, FLOW_CONTINUE, FLOW_RETURN };

static enum flow run_block(struct runner *r, const struct block *b);

void
runner_begin(struct runner *r, const struct statement *s)
{
    struct view view;
    if (r->failed)
        return;
    r->statement = s;
    // The rest of a function that is one snapshot: 'mine' has all of it.
    const bool again = r->instance->function->snapshot && r->out->statements;
    if (!again &&
        !r->views->next(r->views->context, r->out->statements, s, &view)) {
        r->out->end = RUN_STOPPED;
        r->failed = true;
        return;
    }
    r->out->statements++;
    if (r->views->trace)
        r->views->trace(r->views->context, s, r->variables, r->used);
    if (again)
        return;
    r->waited = view.before != NULL;
    r->lost = view.lost;
    dataset_copy(&r->mine, r->waited ? view.before : view.now);
    changes_apply(&r->out->changes, &r->mine);
    if (r->waited) {
        dataset_copy(&r->fresh, view.now);
        changes_apply(&r->out->changes, &r->fresh);
    }
}

void
runner_set_found(struct runner *r, bool found)
{
    r->variables[function_found(r->instance->function)] =
        (struct datum){found, false, false};
}

/* Assign to a variable whose type has to hold the value. */
static void
assign(struct runner *r, uint32_t variable, struct datum d)
{
    const struct variable *v = &r->instance->function->variables[variable];
    if (!d.null && !d.opaque &&
        !program_number_fits(v->type, v->number, d.number))
        runner_abort(r);
    if (d.opaque && v->limit)
        runner_give_up(r);
    r->variables[variable] = d;
}

void
runner_take_row(struct runner *r, const struct statement *s,
                const struct datum *cells)
{
    for (uint32_t i = 0; i < s->n_into; i++)
        assign(r, s->into[i],
               cells ? cells[i] : (struct datum){0, true, false});
}

static void
run_select(struct runner *r, const struct statement *s)
{
    struct result result;
    runner_begin(r, s);
    runner_query(r, s->query, &result);
    if (r->failed)
        return;
    if (s->strict && result.n != 1) {
        runner_abort(r);
        return;
    }
    if (s->n_into && result.tied) {
        runner_give_up(r);
        return;
    }
    const struct datum found = {result.n > 0, false, false};
    runner_observe(r, s, &found, 1);
    if (!s->hidden && result.n)
        runner_observe(r, s, result.cells, s->n_into);
    runner_take_row(r, s, result.n ? result.cells : NULL);
    runner_set_found(r, result.n > 0);
}

static void
run_rows(struct runner *r, const struct statement *s)
{
    struct result result;
    runner_begin(r, s);
    runner_query(r, s->query, &result);
    if (!r->failed)
        runner_observe(r, s, result.cells, result.n * result.width);
    runner_set_found(r, result.n > 0);
}

/* An expression of PL/pgSQL; where it reads tables it is a statement, and
 * what it gives is seen. */
static struct datum
evaluate(struct runner *r, const struct statement *s, const struct expr *e)
{
    const bool reads = expr_has_query(e);
    if (reads)
        runner_begin(r, s);
    const struct datum d = runner_evaluate(r, e);
    if (reads && !r->failed)
        runner_observe(r, s, &d, 1);
    return d;
}

static enum flow
run_for(struct runner *r, const struct statement *s)
{
    struct result result;
    runner_begin(r, s);
    runner_query(r, s->query, &result);
    if (!r->failed)
        runner_observe(r, s, result.cells, result.n * result.width);
    if (!r->failed)
        runner_take_row(r, s, NULL); // what it is where there is no row
    enum flow flow = FLOW_NEXT;
    for (size_t i = 0; !r->failed && i < result.n; i++) {
        runner_take_row(r, s, result.cells + i * result.width);
        flow = run_block(r, &s->body);
        if (flow == FLOW_EXIT || flow == FLOW_RETURN)
            break;
    }
    runner_set_found(r, result.n > 0);
    return flow == FLOW_RETURN ? flow : FLOW_NEXT;
}

static enum flow
run_range(struct runner *r, const struct statement *s)
{
    const struct datum low = evaluate(r, s, s->low);
    const struct datum high = evaluate(r, s, s->high);
    const struct datum step =
        s->step ? evaluate(r, s, s->step) : (struct datum){1, false, false};
    if (low.opaque || high.opaque || step.opaque)
        runner_give_up(r);
    if (low.null || high.null || step.null || step.number < 1)
        runner_abort(r);
    if (!program_number_fits(TYPE_INTEGER, NUMBER_INTEGER, low.number) ||
        !program_number_fits(TYPE_INTEGER, NUMBER_INTEGER, high.number) ||
        !program_number_fits(TYPE_INTEGER, NUMBER_INTEGER, step.number))
        runner_abort(r);
    enum flow flow = FLOW_NEXT;
    bool any = false;
    int64_t i = low.number;
    for (uint32_t n = 0; !r->failed; n++) {
        if (s->reverse ? i < high.number : i > high.number)
            break;
        if (n == MOST_ITERATIONS) {
            runner_give_up(r);
            break;
        }
        any = true;
        r->variables[s->variable] = (struct datum){i, false, false};
        flow = run_block(r, &s->body);
        if (flow == FLOW_EXIT || flow == FLOW_RETURN)
            break;
        if (__builtin_add_overflow(i, s->reverse ? -step.number : step.number,
                                   &i))
            break;
    }
    runner_set_found(r, any);
    return flow == FLOW_RETURN ? flow : FLOW_NEXT;
}

static enum flow
run_while(struct runner *r, const struct statement *s)
{
    for (uint32_t n = 0; !r->failed; n++) {
        if (s->value) {
            const struct datum d = evaluate(r, s, s->value);
            if (d.opaque)
                runner_give_up(r);
            if (d.null || !d.number)
                return FLOW_NEXT;
        }
        if (n == MOST_ITERATIONS) {
            runner_give_up(r);
            break;
        }
        const enum flow flow = run_block(r, &s->body);
        if (flow == FLOW_EXIT)
            return FLOW_NEXT;
        if (flow == FLOW_RETURN)
            return flow;
    }
    return FLOW_NEXT;
}

static enum flow
run_return(struct runner *r, const struct statement *s)
{
    if (s->value) {
        if (expr_has_query(s->value))
            runner_begin(r, s);
        const struct datum d = runner_evaluate(r, s->value);
        if (!r->failed)
            runner_observe(r, s, &d, 1);
    }
    return FLOW_RETURN;
}

static enum flow
run_statement(struct runner *r, const struct statement *s)
{
    switch (s->kind) {
    case STATEMENT_SELECT:
        run_select(r, s);
        break;
    case STATEMENT_ROWS:
        run_rows(r, s);
        break;
    case STATEMENT_UPDATE:
        runner_update(r, s);
        break;
    case STATEMENT_DELETE:
        runner_delete(r, s);
        break;
    case STATEMENT_INSERT:
        runner_insert(r, s);
        break;
    case STATEMENT_ASSIGN:
        assign(r, s->variable, evaluate(r, s, s->value));
        break;
    case STATEMENT_IF: {
        const struct datum d = evaluate(r, s, s->value);
        if (d.opaque)
            runner_give_up(r);
        return run_block(r, !d.null && d.number ? &s->body : &s->other);
    }
    case STATEMENT_FOR:
        return run_for(r, s);
    case STATEMENT_RANGE:
        return run_range(r, s);
    case STATEMENT_WHILE:
        return run_while(r, s);
    case STATEMENT_EXIT:
        return FLOW_EXIT;
    case STATEMENT_CONTINUE:
        return FLOW_CONTINUE;
    case STATEMENT_RETURN:
        return run_return(r, s);
    case STATEMENT_RAISE:
        runner_abort(r);
        break;
    }
    return FLOW_NEXT;
}

static enum flow
run_block(struct runner *r, const struct block *b)
{
    for (uint32_t i = 0; i < b->n && !r->failed; i++) {
        const enum flow flow = run_statement(r, b->at[i]);
        if (r->failed && r->out->end == RUN_ABORTS && !r->out->aborted_at)
            r->out->aborted_at = b->at[i]->line;
        if (flow != FLOW_NEXT)
            return flow;
    }
    return FLOW_NEXT;
}

static void
clear(struct run *out)
{
    out->end = RUN_COMMITS;
    out->aborted_at = out->statements = 0;
    changes_clear(&out->changes);
    vec_clear(&out->observations);
    vec_clear(&out->values);
    vec_clear(&out->locks);
    vec_clear(&out->refused);
    vec_clear(&out->readings);
    vec_clear(&out->checkings);
}

void
run_instance(const struct program *p, const struct instance *t,
             const struct views *views, struct run *out)
{
    const struct function *f = t->function;
    clear(out);
    struct runner r = {.program = p, .instance = t, .views = views, .out = out};
    dataset_init(&r.mine, p);
    dataset_init(&r.fresh, p);
    r.variables = mem_calloc(f->n_variables, sizeof *r.variables);
    r.bound = mem_calloc(f->n_sources + 1, sizeof *r.bound);
    r.used = mem_calloc(f->n_inputs + 1, sizeof *r.used);
    for (uint32_t i = 0; i < f->n_parameters; i++)
        assign(&r, i, t->arguments[i]);
    for (uint32_t i = f->n_parameters; i < f->n_variables; i++)
        assign(&r, i,
               f->variables[i].initial
                   ? runner_evaluate(&r, f->variables[i].initial)
                   : (struct datum){0, true, false});
    run_block(&r, &f->body);
    // Whether it may commit now is for the views to say.
    struct view view;
    if (!r.failed && !views->next(views->context, out->statements, NULL, &view))
        out->end = RUN_STOPPED;
    mem_free(r.used);
    mem_free(r.bound);
    mem_free(r.variables);
    dataset_free(&r.fresh);
    dataset_free(&r.mine);
    arena_free(&r.arena);
}

void
run_free(struct run *r)
{
    changes_free(&r->changes);
    vec_free(&r->observations);
    vec_free(&r->values);
    vec_free(&r->locks);
    vec_free(&r->refused);
    vec_free(&r->readings);
    vec_free(&r->checkings);
}

static bool
same_view(void *context, uint32_t number, const struct statement *s,
          struct view *out)
{
    (void)number;
    (void)s;
    *out = (struct view){.now = context};
    return true;
}

void
run_on(const struct program *p, const struct instance *t,
       const struct dataset *state, struct run *out)
{
    struct dataset copy;
    dataset_init(&copy, p);
    dataset_copy(&copy, state);
    const struct views views = {.context = &copy, .next = same_view};
    run_instance(p, t, &views, out);
    dataset_free(&copy);
}

bool
run_same_observations(const struct run *a, const struct run *b)
{
    if (a->observations.n != b->observations.n)
        return false;
    for (size_t i = 0; i < a->observations.n; i++) {
        const struct observation *x = &a->observations.at[i];
        const struct observation *y = &b->observations.at[i];
        if (x->statement != y->statement || x->n != y->n)
            return false;
        for (size_t j = 0; j < x->n; j++)
            if (!datum_seems_equal(a->values.at[x->first + j],
                                   b->values.at[y->first + j]))
                return false;
    }
    return true;
}
