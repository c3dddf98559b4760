/* print_expr.c -- expressions as SQL text; see printing.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/printing.h"

const struct table *
print_table_of(const struct printing *p, uint32_t source)
{
    return &p->program->tables.at[p->instance->function->source_tables[source]];
}

static void
print_input(struct printing *p, const struct expr *e)
{
    const struct instance *t = p->instance;
    const struct function *f = t->function;
    uint32_t site = e->index, n;
    if (f->inputs[site].kind == INPUT_MOMENT) {
        site = function_moment(f, site);
        n = 0;
    } else {
        n = p->used[site] + p->more[site]++;
    }
    const struct datum d = n < t->inputs_each
                               ? t->inputs[site * t->inputs_each + n]
                               : (struct datum){0, true, false};
    print_value(p->out, p->program, f->inputs[site].type, d);
}

static void
print_operator(struct printing *p, const struct expr *e)
{
    static const char *const names[] = {
        [EXPR_AND] = "AND",    [EXPR_OR] = "OR",
        [EXPR_EQ] = "=",       [EXPR_NE] = "<>",
        [EXPR_LT] = "<",       [EXPR_LE] = "<=",
        [EXPR_GT] = ">",       [EXPR_GE] = ">=",
        [EXPR_ADD] = "+",      [EXPR_SUBTRACT] = "-",
        [EXPR_MULTIPLY] = "*", [EXPR_DIVIDE] = "/",
        [EXPR_MODULO] = "%",   [EXPR_DISTINCT] = "IS DISTINCT FROM",
    };
    const bool plain = e->kind >= EXPR_EQ && e->kind <= EXPR_GE;
    const bool is_and = e->kind == EXPR_AND;
    buf_text(p->out, plain || is_and ? "" : "(");
    print_expr(p, e->arg[0]);
    buf_printf(p->out, " %s ", names[e->kind]);
    print_expr(p, e->arg[1]);
    buf_text(p->out, plain || is_and ? "" : ")");
}

static void
print_call_of(struct printing *p, const char *name, const struct expr *e)
{
    buf_printf(p->out, "%s(", name);
    for (uint32_t i = 0; i < expr_arity(e->kind); i++) {
        buf_text(p->out, i ? ", " : "");
        print_expr(p, e->arg[i]);
    }
    buf_char(p->out, ')');
}

static void
print_case(struct printing *p, const struct expr *e)
{
    buf_text(p->out, "CASE WHEN ");
    print_expr(p, e->arg[0]);
    buf_text(p->out, " THEN ");
    print_expr(p, e->arg[1]);
    buf_text(p->out, " ELSE ");
    print_expr(p, e->arg[2]);
    buf_text(p->out, " END");
}

static void
print_column(struct printing *p, const struct expr *e)
{
    if (p->table) {
        print_name(p->out, p->table->columns[e->column].name);
        return;
    }
    const bool refused = p->upsert && e->source == p->upsert->excluded;
    if (refused) {
        buf_text(p->out, p->innodb ? "VALUES(" : "excluded.");
    } else if (!p->plain &&
               !(p->upsert && p->innodb && e->source == p->upsert->source)) {
        buf_printf(p->out, "t%u.", e->source);
    }
    print_name(p->out, print_table_of(p, e->source)->columns[e->column].name);
    if (refused && p->innodb)
        buf_char(p->out, ')');
}

static void
print_unary(struct printing *p, const struct expr *e)
{
    buf_text(p->out, e->kind == EXPR_NOT      ? "NOT ("
                     : e->kind == EXPR_NEGATE ? "-("
                                              : "((");
    print_expr(p, e->arg[0]);
    buf_text(p->out, e->kind == EXPR_IS_NULL ? ") IS NULL)" : ")");
}

/* Only a wider type makes a difference to a value that fits. */
static void
print_cast(struct printing *p, const struct expr *e)
{
    const bool wider = e->number > e->arg[0]->number;
    buf_text(p->out, wider ? "cast(" : "");
    print_expr(p, e->arg[0]);
    if (wider)
        buf_printf(p->out, " AS %s)",
                   e->number == NUMBER_NUMERIC  ? "numeric"
                   : e->number == NUMBER_BIGINT ? "bigint"
                                                : "integer");
}

static void
print_aggregate(struct printing *p, const struct aggregate *a)
{
    static const char *const names[] = {
        [AGGREGATE_COUNT] = "count", [AGGREGATE_SUM] = "sum",
        [AGGREGATE_MIN] = "min",     [AGGREGATE_MAX] = "max",
        [AGGREGATE_ANY] = "bool_or", [AGGREGATE_ALL] = "bool_and",
    };
    buf_printf(p->out, "%s(%s", names[a->kind], a->distinct ? "DISTINCT " : "");
    if (a->arg)
        print_expr(p, a->arg);
    else
        buf_char(p->out, '*');
    buf_char(p->out, ')');
}

/* A function, an operator or a cast that is not understood, as it was
 * written. */
static void
print_opaque(struct printing *p, const struct expr *e)
{
    const bool cast = e->name[0] == ':';
    const bool infix =
        !cast && !((e->name[0] | 32) >= 'a' && (e->name[0] | 32) <= 'z');
    buf_printf(p->out, "%s(", cast || infix ? "" : e->name);
    for (const struct expr *rest = e->arg[0]; rest;) {
        print_expr(p, rest->kind == EXPR_LIST ? rest->arg[0] : rest);
        rest = rest->kind == EXPR_LIST ? rest->arg[1] : NULL;
        if (rest)
            buf_printf(p->out, infix ? " %s " : "%s", infix ? e->name : ", ");
    }
    buf_printf(p->out, ")%s", cast ? e->name : "");
}

void
print_expr(struct printing *p, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_CONSTANT:
        print_value(p->out, p->program, e->type, e->value);
        break;
    case EXPR_VARIABLE:
        print_value(p->out, p->program, e->type, p->variables[e->index]);
        break;
    case EXPR_COLUMN:
        print_column(p, e);
        break;
    case EXPR_INPUT:
        print_input(p, e);
        break;
    case EXPR_AGGREGATE:
        assert(p->query && e->index < p->query->n_aggregates);
        print_aggregate(p, &p->query->aggregates[e->index]);
        break;
    case EXPR_EXISTS:
    case EXPR_SCALAR:
        buf_text(p->out, e->kind == EXPR_EXISTS ? "EXISTS (" : "(");
        print_query(p, e->query);
        buf_char(p->out, ')');
        break;
    case EXPR_NOT:
    case EXPR_NEGATE:
    case EXPR_IS_NULL:
        print_unary(p, e);
        break;
    case EXPR_CAST:
        print_cast(p, e);
        break;
    case EXPR_OPAQUE:
        print_opaque(p, e);
        break;
    case EXPR_COALESCE:
        print_call_of(p, "coalesce", e);
        break;
    case EXPR_LEAST:
        print_call_of(p, "least", e);
        break;
    case EXPR_GREATEST:
        print_call_of(p, "greatest", e);
        break;
    case EXPR_CASE:
        print_case(p, e);
        break;
    default:
        print_operator(p, e);
    }
}
