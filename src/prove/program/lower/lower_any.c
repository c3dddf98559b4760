/* lower_any.c -- queries and expressions that are not modelled, as anything.
 *
 * What a piece of SQL gives is a function of the rows of the tables that it
 * reads, of the rows around it, and of variables.  Here it is any value
 * (EXPR_OPAQUE with 'any'), another one every time, and it reads all columns of
 * all rows of the tables that it can read (lower_reads.c).  A proof for every
 * value and for more reads is one for the real piece; an execution in which
 * such a value decides anything, or may be NULL, is left out of a search.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <string.h>

/* --- where lowering stood -------------------------------------------------*/

void
lower_mark(const struct lower *l, struct lower_mark *m)
{
    *m = (struct lower_mark){l->visible.n, l->variables.n,  l->sources.n,
                             l->inputs.n,  l->aggregates.n, l->before.n,
                             l->after.n,   l->n_statements, l->level,
                             l->depth,     l->in_targets,   l->in_aggregate,
                             l->merged};
}

/* Go on as if nothing had been tried since the mark. */
void
lower_return(struct lower *l, const struct lower_mark *m)
{
    l->visible.n = m->visible;
    l->variables.n = m->variables;
    l->sources.n = m->sources;
    l->inputs.n = m->inputs;
    l->aggregates.n = m->aggregates;
    l->before.n = m->before;
    l->after.n = m->after;
    l->n_statements = m->n_statements;
    l->level = m->level;
    l->depth = m->depth;
    l->in_targets = m->in_targets;
    l->in_aggregate = m->in_aggregate;
    l->merged = m->merged;
}

void
lower_partial(struct lower *l, const char *why)
{
    if (l->function->partial)
        return;
    l->function->partial = program_copy(l->program, why);
    l->function->partial_line = l->line;
}

/* --- reads ----------------------------------------------------------------*/

/* Whether a or b or .. is NULL, of n columns from the first on: never NULL, and
 * a use of each. */
static struct expr *
any_is_null(struct lower *l, uint32_t source, uint32_t first, uint32_t n)
{
    if (n == 1)
        return expr_unary(l, EXPR_IS_NULL, expr_column(l, source, first));
    return expr_binary(l, EXPR_OR, any_is_null(l, source, first, n / 2),
                       any_is_null(l, source, first + n / 2, n - n / 2));
}

/* (SELECT count(..) FROM t), which depends on every column of every row. */
static struct expr *
whole_table(struct lower *l, uint32_t table)
{
    const struct table *t = &l->program->tables.at[table];
    struct query *q = program_alloc(l->program, 1, sizeof *q);
    q->line = l->line;
    q->limit = -1;
    q->n_sources = q->n_targets = q->n_aggregates = 1;
    q->sources = program_alloc(l->program, 1, sizeof *q->sources);
    q->sources[0] = (uint32_t)l->sources.n;
    vec_push(&l->sources, table);
    q->aggregates = program_alloc(l->program, 1, sizeof *q->aggregates);
    q->aggregates[0].arg = any_is_null(l, q->sources[0], 0, t->n_columns);
    struct expr *count = expr_new(l, EXPR_AGGREGATE, TYPE_INTEGER);
    count->number = NUMBER_BIGINT;
    q->targets = program_alloc(l->program, 1, sizeof *q->targets);
    q->targets[0].name = "count";
    q->targets[0].value = count;
    struct expr *e = expr_new(l, EXPR_SCALAR, TYPE_INTEGER);
    e->number = NUMBER_BIGINT;
    e->query = q;
    return e;
}

struct expr *
lower_any_value(struct lower *l, struct scalar_type type,
                const struct reads *reads)
{
    VEC(struct expr *) args = {0};
    for (size_t i = 0; reads && i < reads->tables.n; i++) {
        struct expr *e = whole_table(l, reads->tables.at[i]);
        vec_push(&args, e);
    }
    for (size_t i = 0; i < l->visible.n; i++) {
        const struct visible *v = &l->visible.at[i];
        struct expr *e = any_is_null(l, v->source, 0,
                                     l->program->tables.at[v->table].n_columns);
        vec_push(&args, e);
    }
    struct expr *e = lower_opaque(l, "anything", type, args.at, args.n);
    e->any = true;
    vec_free(&args);
    return e;
}

/* --- expressions ----------------------------------------------------------*/

static struct statement *
push_inside(struct lower *l, struct statement *outer, struct statement *inner)
{
    outer->body.at = program_alloc(l->program, 1, sizeof *outer->body.at);
    outer->body.at[outer->body.n++] = inner;
    return outer;
}

/* A condition of PL/pgSQL, beside the rows of a statement. */
static struct expr *
any_boolean(struct lower *l, const struct reads *reads)
{
    const size_t visible = l->visible.n;
    l->visible.n = 0;
    struct expr *e =
        lower_any_value(l, (struct scalar_type){.type = TYPE_BOOLEAN}, reads);
    l->visible.n = visible;
    return e;
}

/* Reads that happen any number of times, each with a snapshot of its own. */
struct statement *
lower_any_times(struct lower *l, const struct reads *reads)
{
    struct statement *loop = statement_new(l, STATEMENT_WHILE);
    struct statement *once = statement_new(l, STATEMENT_IF);
    loop->value = any_boolean(l, NULL);
    once->value = any_boolean(l, reads);
    return push_inside(l, loop, once);
}

/* A function that is VOLATILE sees what is committed when its queries begin,
 * which at rc is later than what the statement around it sees.  Outside of
 * queries that is the same as reading before. */
static bool
read_before(struct lower *l, const struct reads *reads)
{
    if (!reads->later)
        return true;
    if (l->visible.n || l->in_rows)
        return lower_fail(l, -1,
                          "a call of a VOLATILE function that reads tables, "
                          "inside of a statement about rows, is not supported");
    struct statement *loop = lower_any_times(l, reads);
    vec_push(&l->before, loop);
    l->reads_before = true;
    return true;
}

struct expr *
lower_any_expr(struct lower *l, const PgQuery__Node *node)
{
    struct reads reads = {0};
    const struct err why = *l->err;
    struct expr *e = NULL;
    if (l->wrong)
        return NULL;
    *l->err = (struct err){0};
    bool ok =
        l->function && lower_reads(l, (const void *const[]){node}, 1, &reads);
    if (ok && reads.sets) {
        *l->err = why;
        ok = false;
    }
    if (!l->function)
        *l->err = why;
    if (ok && read_before(l, &reads))
        e = lower_any_value(l, (struct scalar_type){.type = TYPE_OPAQUE},
                            reads.later ? NULL : &reads);
    vec_free(&reads.tables);
    return e;
}

/* --- queries --------------------------------------------------------------*/

static const char *
name_of(const PgQuery__ResTarget *target)
{
    const PgQuery__Node *val = target->val;
    if (target->name && *target->name)
        return target->name;
    if (NODE_IS(val, COLUMN_REF) &&
        NODE_IS(val->column_ref->fields[val->column_ref->n_fields - 1], STRING))
        return lower_last_name(val->column_ref->fields,
                               val->column_ref->n_fields);
    return NODE_IS(val, FUNC_CALL) ? lower_last_name(val->func_call->funcname,
                                                     val->func_call->n_funcname)
                                   : "?column?";
}

static bool
has_star(const PgQuery__SelectStmt *select)
{
    for (size_t i = 0; i < select->n_target_list; i++) {
        const PgQuery__Node *val = select->target_list[i]->res_target->val;
        if (NODE_IS(val, COLUMN_REF) &&
            NODE_IS(val->column_ref->fields[val->column_ref->n_fields - 1],
                    A_STAR))
            return true;
    }
    return false;
}

/* A query without tables that has one row of anything, or none, and reads all
 * that the piece can read.  Where '*' hides how many columns there are, there
 * are enough of them. */
struct query *
lower_any_query(struct lower *l, const PgQuery__SelectStmt *select)
{
    enum { STAR = 64 };
    struct reads reads = {0};
    const struct scalar_type boolean = {.type = TYPE_BOOLEAN};
    const PgQuery__SelectStmt *first = select;
    while (first->larg)
        first = first->larg;
    if (l->wrong)
        return NULL;
    *l->err = (struct err){0};
    struct query *q = NULL;
    if (l->function &&
        lower_reads(l, (const void *const[]){select, l->with}, 2, &reads) &&
        (!reads.later || (!l->level && !l->in_expression) ||
         lower_fail(l, -1,
                    "a call of a VOLATILE function that reads tables, inside "
                    "of a subquery, is not supported"))) {
        q = program_alloc(l->program, 1, sizeof *q);
        q->line = l->line;
        q->limit = -1;
        q->any = true;
        q->where = lower_any_value(l, boolean, &reads);
        const bool star = has_star(first);
        const uint32_t n = (uint32_t)first->n_target_list;
        q->n_targets = star || !n ? n + STAR : n;
        q->targets =
            program_alloc(l->program, q->n_targets, sizeof *q->targets);
        for (uint32_t i = 0; i < q->n_targets; i++) {
            q->targets[i].name =
                i < n && !star
                    ? program_copy(l->program,
                                   name_of(first->target_list[i]->res_target))
                    : "?";
            q->targets[i].value = lower_any_value(
                l, (struct scalar_type){.type = TYPE_OPAQUE}, NULL);
        }
    }
    if (q && reads.later) {
        struct statement *loop = lower_any_times(l, &reads);
        vec_push(&l->after, loop);
    }
    vec_free(&reads.tables);
    return q;
}

struct expr *
lower_any_condition(struct lower *l, const void *const *messages, size_t n)
{
    struct reads reads = {0};
    struct expr *e = NULL;
    *l->err = (struct err){0};
    if (lower_reads(l, messages, n, &reads) &&
        (!reads.later ||
         lower_fail(l, -1,
                    "a call of a VOLATILE function that reads tables, inside "
                    "of an UPDATE or DELETE, is not supported")))
        e = lower_any_value(l, (struct scalar_type){.type = TYPE_BOOLEAN},
                            &reads);
    vec_free(&reads.tables);
    return e;
}

bool
lower_any_targets(struct lower *l, PgQuery__Node *const *nodes, size_t n,
                  struct target **targets, uint32_t *n_targets)
{
    *n_targets = (uint32_t)n;
    *targets = program_alloc(l->program, n, sizeof **targets);
    for (size_t i = 0; i < n; i++) {
        (*targets)[i].name =
            program_copy(l->program, name_of(nodes[i]->res_target));
        (*targets)[i].value =
            lower_any_value(l, (struct scalar_type){.type = TYPE_OPAQUE}, NULL);
    }
    return true;
}

/* --- statements -----------------------------------------------------------*/

struct statement *
lower_sequence(struct lower *l, struct statement *const *all, size_t n)
{
    struct statement *s = statement_new(l, STATEMENT_IF);
    s->value = expr_boolean(l, true);
    s->body.at = program_alloc(l->program, n, sizeof *s->body.at);
    for (size_t i = 0; i < n; i++)
        s->body.at[s->body.n++] = all[i];
    return s;
}

/* FOUND, which is anything now. */
struct statement *
lower_any_found(struct lower *l)
{
    struct statement *s = statement_new(l, STATEMENT_ASSIGN);
    s->variable = function_found(l->function);
    struct expr *e = any_boolean(l, NULL);
    e->whole = true;
    s->value = e;
    return s;
}

/* 'once' is done for each of any number of rows, after the reads of q. */
struct statement *
lower_any_rows(struct lower *l, const struct query *q, struct statement *once)
{
    struct statement *all[3];
    all[0] = statement_new(l, STATEMENT_SELECT);
    all[0]->query = q;
    all[0]->hidden = true;
    all[1] = statement_new(l, STATEMENT_WHILE);
    all[1]->value = any_boolean(l, NULL);
    push_inside(l, all[1], once);
    all[2] = lower_any_found(l);
    return lower_sequence(l, all, 3);
}

void
lower_collect(struct lower *l, struct block *out, size_t room,
              struct statement *s, size_t before, size_t after)
{
    struct statement **all = program_alloc(
        l->program,
        out->n + room + (l->before.n - before) + (l->after.n - after) + 1,
        sizeof(struct statement *));
    if (out->n)
        memcpy(all, out->at, out->n * sizeof(struct statement *));
    out->at = all;
    for (size_t i = before; i < l->before.n; i++)
        out->at[out->n++] = l->before.at[i];
    out->at[out->n++] = s;
    for (size_t i = after; i < l->after.n; i++)
        out->at[out->n++] = l->after.at[i];
    l->before.n = before;
    l->after.n = after;
}
