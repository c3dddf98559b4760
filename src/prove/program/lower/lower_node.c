/* lower_node.c -- nodes of expressions, in the memory of the program.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

struct expr *
expr_new(struct lower *l, enum expr_kind kind, enum value_type type)
{
    struct expr *e = program_alloc(l->program, 1, sizeof *e);
    e->kind = kind;
    e->type = type;
    return e;
}

struct expr *
expr_unary(struct lower *l, enum expr_kind kind, const struct expr *a)
{
    assert(expr_arity(kind) == 1);
    struct expr *e =
        expr_new(l, kind, kind == EXPR_NEGATE ? TYPE_INTEGER : TYPE_BOOLEAN);
    e->arg[0] = a;
    e->number = a->number;
    return e;
}

struct expr *
expr_binary(struct lower *l, enum expr_kind kind, const struct expr *a,
            const struct expr *b)
{
    assert(expr_arity(kind) == 2);
    struct expr *e = expr_new(l, kind,
                              kind >= EXPR_COALESCE ? a->type
                              : kind >= EXPR_ADD    ? TYPE_INTEGER
                                                    : TYPE_BOOLEAN);
    e->arg[0] = a;
    e->arg[1] = b;
    e->number = a->number > b->number ? a->number : b->number;
    return e;
}

struct expr *
expr_number(struct lower *l, int64_t number)
{
    struct expr *e = expr_new(l, EXPR_CONSTANT, TYPE_INTEGER);
    e->value.number = number;
    return e;
}

struct expr *
expr_boolean(struct lower *l, bool truth)
{
    struct expr *e = expr_new(l, EXPR_CONSTANT, TYPE_BOOLEAN);
    e->value.number = truth;
    return e;
}

struct expr *
expr_null(struct lower *l)
{
    struct expr *e = expr_new(l, EXPR_CONSTANT, TYPE_UNKNOWN);
    e->value.null = true;
    return e;
}

struct expr *
expr_column(struct lower *l, uint32_t source, uint32_t column)
{
    const struct table *t = &l->program->tables.at[l->sources.at[source]];
    assert(column < t->n_columns);
    struct expr *e = expr_new(l, EXPR_COLUMN, t->columns[column].type);
    e->source = source;
    e->column = column;
    e->number = t->columns[column].number;
    return e;
}

struct expr *
expr_input(struct lower *l, struct input_site site)
{
    struct expr *e = expr_new(l, EXPR_INPUT, site.type);
    e->index = (uint32_t)l->inputs.n;
    vec_push(&l->inputs, site);
    return e;
}

bool
expr_unify(struct expr *a, struct expr *b)
{
    if (a->type == TYPE_UNKNOWN)
        a->type = b->type;
    if (b->type == TYPE_UNKNOWN)
        b->type = a->type;
    return a->type == b->type;
}
