/* match.c -- see match.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/match.h"

#include "prove/execute/runner.h"
#include "prove/program/access.h"

#include <string.h>

/* Whether the row of the source and the variables are all that it needs. */
static bool
is_about(const struct expr *e, uint32_t source)
{
    if (e->kind == EXPR_EXISTS || e->kind == EXPR_SCALAR ||
        e->kind == EXPR_INPUT || e->kind == EXPR_AGGREGATE)
        return false;
    if (e->kind == EXPR_COLUMN)
        return e->source == source;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        if (!is_about(e->arg[i], source))
            return false;
    return true;
}

/* The value of an expression that is about the row. */
static struct datum
value_of(const struct match *m, const struct expr *e, const struct datum *row)
{
    const struct run_read *x = m->reading;
    const struct function *f = m->instance->function;
    struct run nothing = {0};
    const struct datum **bound = mem_calloc(f->n_sources + 1, sizeof *bound);
    struct datum *variables = mem_calloc(f->n_variables + 1, sizeof *variables);
    assert(is_about(e, x->source));
    bound[x->source] = row;
    memcpy(variables, m->run->values.at + x->variables,
           f->n_variables * sizeof *variables);
    struct runner r = {.program = m->program,
                       .instance = m->instance,
                       .out = &nothing,
                       .variables = variables,
                       .bound = bound};
    const struct datum value = runner_evaluate(&r, e);
    mem_free(variables);
    mem_free(bound);
    // What would have failed on that row is no match.
    return r.failed ? (struct datum){0, true, false} : value;
}

static bool
holds(const struct match *m, const struct expr *e, const struct datum *row)
{
    if (e->kind == EXPR_AND)
        return holds(m, e->arg[0], row) && holds(m, e->arg[1], row);
    if (!is_about(e, m->reading->source))
        return true;
    const struct datum d = value_of(m, e, row);
    return !d.null && d.number;
}

bool
match_holds(const struct match *m, const struct datum *row)
{
    assert(m->reading->condition);
    return !m->reading->where || holds(m, m->reading->where, row);
}

/* Add the columns of the source that the expression mentions. */
static void
add_columns(const struct expr *e, uint32_t source, uint64_t *columns)
{
    if (!e)
        return;
    if (e->kind == EXPR_COLUMN && e->source == source)
        *columns |= (uint64_t)1 << e->column;
    if (e->query) {
        add_columns(e->query->where, source, columns);
        for (uint32_t i = 0; i < e->query->n_targets; i++)
            add_columns(e->query->targets[i].value, source, columns);
    }
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        add_columns(e->arg[i], source, columns);
}

uint64_t
match_condition(const struct match *m)
{
    uint64_t columns = 0;
    add_columns(m->reading->where, m->reading->source, &columns);
    return columns;
}

uint64_t
match_used(const struct match *m)
{
    const struct run_read *x = m->reading;
    const struct statement *s = x->statement;
    const struct query *q = x->query;
    uint64_t used = 0;
    for (uint32_t i = 0; q && i < q->n_targets; i++)
        add_columns(q->targets[i].value, x->source, &used);
    for (uint32_t i = 0; q && i < q->n_aggregates; i++)
        add_columns(q->aggregates[i].arg, x->source, &used);
    for (uint32_t i = 0; q && i < q->n_order; i++)
        add_columns(q->order[i].by, x->source, &used);
    for (uint32_t i = 0; !q && i < s->n_sets; i++)
        add_columns(s->sets[i].value, x->source, &used);
    for (uint32_t i = 0; !q && i < s->n_returning; i++)
        add_columns(s->returning[i].value, x->source, &used);
    if (x->where && !is_about(x->where, x->source))
        used |= match_condition(m);
    return used;
}

static int
compare(struct datum a, struct datum b)
{
    if (a.null || b.null)
        return a.null - b.null; // NULL is largest
    return (a.number > b.number) - (a.number < b.number);
}

/* Whether only the first row of the query counts. */
static bool
takes_first(const struct run_read *x)
{
    const struct query *q = x->query;
    const struct statement *s = x->statement;
    if (q->n_aggregates || q->n_sources != 1 || !q->n_order || q->distinct)
        return false;
    for (uint32_t i = 0; i < q->n_order; i++)
        if (!is_about(q->order[i].by, x->source))
            return false;
    return q->limit == 1 || (s->kind == STATEMENT_SELECT && s->query == q);
}

bool
match_is_behind(const struct match *m, const struct datum *row,
                const struct datum *other)
{
    const struct run_read *x = m->reading;
    const struct query *q = x->query;
    if (!q)
        return false;
    if (q->n_aggregates == 1 && q->n_sources == 1) {
        const struct aggregate *a = &q->aggregates[0];
        if ((a->kind != AGGREGATE_MIN && a->kind != AGGREGATE_MAX) ||
            !is_about(a->arg, x->source))
            return false;
        const struct datum p = value_of(m, a->arg, row);
        const struct datum best = value_of(m, a->arg, other);
        const int c = compare(p, best);
        return !best.null &&
               (p.null || (a->kind == AGGREGATE_MIN ? c > 0 : c < 0));
    }
    for (uint32_t i = 0; takes_first(x) && i < q->n_order; i++) {
        const int c = compare(value_of(m, q->order[i].by, row),
                              value_of(m, q->order[i].by, other));
        if (c)
            return q->order[i].descending ? c < 0 : c > 0;
    }
    return false;
}
