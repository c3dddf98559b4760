/* lower_expr.c -- expressions: names get their meaning, IN, BETWEEN, CASE and
 * casts are written with fewer words.
 *
 * SPDX-License-Identifier: MIT */
#include "program/lower.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

struct expr *
lower_condition(struct lower *l, const PgQuery__Node *node)
{
    struct expr *e = lower_expr(l, node);
    if (e && e->type == TYPE_UNKNOWN)
        e->type = TYPE_BOOLEAN;
    if (e && e->type != TYPE_BOOLEAN) {
        lower_fail(l, -1, "the condition is no boolean");
        return NULL;
    }
    return e;
}

static struct expr *
lower_constant(struct lower *l, const PgQuery__AConst *c)
{
    if (c->isnull)
        return expr_null(l);
    struct expr *e = expr_new(l, EXPR_CONSTANT, TYPE_INTEGER);
    switch (c->val_case) {
    case PG_QUERY__A__CONST__VAL_IVAL:
        e->value.number = c->ival->ival;
        return e;
    case PG_QUERY__A__CONST__VAL_BOOLVAL:
        e->type = TYPE_BOOLEAN;
        e->value.number = c->boolval->boolval != 0;
        return e;
    case PG_QUERY__A__CONST__VAL_SVAL:
        e->type = TYPE_TEXT;
        e->value.number = strings_add(&l->program->texts, c->sval->sval,
                                      strlen(c->sval->sval));
        return e;
    case PG_QUERY__A__CONST__VAL_FVAL: {
        char *end;
        errno = 0;
        e->value.number = strtoll(c->fval->fval, &end, 10);
        if (*end || errno) {
            lower_fail(l, c->location, "%s, expected a whole number",
                       c->fval->fval);
            return NULL;
        }
        return e;
    }
    default:
        lower_fail(l, c->location, "a bit string, which is not supported");
        return NULL;
    }
}

/* The variable of an unqualified name, or of a name like r.balance. */
static struct expr *
variable_named(struct lower *l, const char *name)
{
    const uint32_t v = lower_find_variable(l, name);
    if (v == UINT32_MAX)
        return NULL;
    struct expr *e = expr_new(l, EXPR_VARIABLE, l->variables.at[v].type);
    e->index = v;
    return e;
}

/* Find the column in the innermost query that has it. */
static bool
find_column(struct lower *l, const char *table, const char *name, int location,
            struct expr **out)
{
    *out = NULL;
    for (size_t i = l->visible.n; i-- > 0;) {
        const struct visible *v = &l->visible.at[i];
        if (*out && l->visible.at[i + 1].level != v->level)
            break;
        if (table && strcmp(table, v->name) != 0)
            continue;
        const struct table *t = &l->program->tables.at[v->table];
        const uint32_t c = table_find_column(t, name);
        if (c == UINT32_MAX || (t->hidden_key && c + 1 == t->n_columns))
            continue;
        if (*out)
            return lower_fail(l, location,
                              "'%s' is a column of two tables here", name);
        *out = expr_column(l, v->source, c);
    }
    return true;
}

static bool
is_visible_table(const struct lower *l, const char *name)
{
    for (size_t i = 0; i < l->visible.n; i++)
        if (strcmp(l->visible.at[i].name, name) == 0)
            return true;
    return false;
}

static struct expr *
lower_qualified(struct lower *l, const char *table, const char *name,
                int location)
{
    struct expr *e = NULL;
    if (!find_column(l, table, name, location, &e) || e)
        return e;
    if (is_visible_table(l, table)) {
        lower_fail(l, location, "table %s has no column '%s'", table, name);
        return NULL;
    }
    if (l->function && strcmp(table, l->function->name) == 0)
        e = variable_named(l, name);
    if (!e) {
        char full[200];
        snprintf(full, sizeof full, "%s.%s", table, name);
        e = variable_named(l, full);
    }
    if (!e)
        lower_fail(l, location, "'%s.%s' names no column or variable", table,
                   name);
    return e;
}

static struct expr *
lower_name(struct lower *l, const PgQuery__ColumnRef *ref)
{
    const char *parts[3];
    if (ref->n_fields > 2) {
        lower_fail(l, ref->location, "a name of three parts, expected two");
        return NULL;
    }
    for (size_t i = 0; i < ref->n_fields; i++) {
        if (!NODE_IS(ref->fields[i], STRING)) {
            lower_fail(l, ref->location, "'*' where a value is expected");
            return NULL;
        }
        parts[i] = ref->fields[i]->string->sval;
    }
    if (ref->n_fields == 2)
        return lower_qualified(l, parts[0], parts[1], ref->location);
    struct expr *column, *variable = variable_named(l, parts[0]);
    if (!find_column(l, NULL, parts[0], ref->location, &column))
        return NULL;
    if (column && variable && !l->columns_first) {
        lower_fail(l, ref->location,
                   "'%s' is both a column and a variable here", parts[0]);
        return NULL;
    }
    if (!column && !variable)
        lower_fail(l, ref->location, "'%s' names no column or variable",
                   parts[0]);
    return column ? column : variable;
}

struct expr *
lower_cast(struct lower *l, struct expr *e, enum value_type type, int location)
{
    if (e->type == TYPE_UNKNOWN || e->type == type) {
        e->type = type;
        return e;
    }
    if (e->kind == EXPR_CONSTANT && e->type == TYPE_TEXT) {
        const struct string s =
            strings_get(&l->program->texts, (uint32_t)e->value.number);
        char *end;
        errno = 0;
        const long long number = strtoll(s.text, &end, 10);
        if (type == TYPE_INTEGER && s.len && !*end && !errno)
            return expr_number(l, number);
        if (type == TYPE_BOOLEAN &&
            (!strcmp(s.text, "t") || !strcmp(s.text, "true")))
            return expr_boolean(l, true);
        if (type == TYPE_BOOLEAN &&
            (!strcmp(s.text, "f") || !strcmp(s.text, "false")))
            return expr_boolean(l, false);
    }
    lower_fail(l, location, "a cast between types, which is not supported");
    return NULL;
}

bool
lower_match_types(struct lower *l, struct expr **a, struct expr **b,
                  int location)
{
    if (expr_unify(*a, *b))
        return true;
    if ((*b)->kind == EXPR_CONSTANT && (*b)->type == TYPE_TEXT)
        *b = lower_cast(l, *b, (*a)->type, location);
    else if ((*a)->kind == EXPR_CONSTANT && (*a)->type == TYPE_TEXT)
        *a = lower_cast(l, *a, (*b)->type, location);
    else
        return lower_fail(l, location, "operands of different types");
    return *a && *b;
}

struct expr *
lower_operator(struct lower *l, const char *name, struct expr *a,
               struct expr *b, int location)
{
    static const struct {
        const char *name;
        enum expr_kind kind;
    } operators[] = {
        {"=", EXPR_EQ},       {"<>", EXPR_NE},    {"!=", EXPR_NE},
        {"<", EXPR_LT},       {"<=", EXPR_LE},    {">", EXPR_GT},
        {">=", EXPR_GE},      {"+", EXPR_ADD},    {"-", EXPR_SUBTRACT},
        {"*", EXPR_MULTIPLY}, {"/", EXPR_DIVIDE}, {"%", EXPR_MODULO},
    };
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const enum expr_kind kind = operators[i].kind;
        if (strcmp(name, operators[i].name) != 0)
            continue;
        if (!lower_match_types(l, &a, &b, location))
            return NULL;
        if (kind >= EXPR_LT && kind <= EXPR_GE && a->type == TYPE_TEXT) {
            lower_fail(l, location,
                       "texts are compared by order, which is not supported");
            return NULL;
        }
        if (kind >= EXPR_ADD && !lower_cast(l, a, TYPE_INTEGER, location))
            return NULL;
        if (kind >= EXPR_ADD && !lower_cast(l, b, TYPE_INTEGER, location))
            return NULL;
        return expr_binary(l, kind, a, b);
    }
    lower_fail(l, location, "operator '%s' is not supported", name);
    return NULL;
}

static struct expr *
lower_a_expr(struct lower *l, const PgQuery__AExpr *node)
{
    switch (node->kind) {
    case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
        return lower_in(
            l, node, !strcmp(lower_last_name(node->name, node->n_name), "<>"));
    case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN:
        return lower_between(l, node, false);
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
        return lower_between(l, node, true);
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP:
    case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
    case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF:
        break;
    default:
        lower_fail(l, node->location, "an operator that is not supported: %s",
                   lower_last_name(node->name, node->n_name));
        return NULL;
    }
    const char *name = lower_last_name(node->name, node->n_name);
    struct expr *b = lower_expr(l, node->rexpr);
    if (!b)
        return NULL;
    if (!node->lexpr) {
        if (strcmp(name, "-") != 0 && strcmp(name, "+") != 0) {
            lower_fail(l, node->location, "operator '%s' is not supported",
                       name);
            return NULL;
        }
        b = lower_cast(l, b, TYPE_INTEGER, node->location);
        return b && *name == '-' ? expr_unary(l, EXPR_NEGATE, b) : b;
    }
    struct expr *a = lower_expr(l, node->lexpr);
    if (!a)
        return NULL;
    if (node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP)
        return lower_operator(l, name, a, b, node->location);
    if (!lower_match_types(l, &a, &b, node->location))
        return NULL;
    if (node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF) {
        struct expr *e = expr_new(l, EXPR_CASE, a->type);
        struct expr *null = expr_null(l);
        null->type = a->type;
        e->arg[0] = expr_binary(l, EXPR_EQ, a, b);
        e->arg[1] = null;
        e->arg[2] = a;
        return e;
    }
    struct expr *e = expr_binary(l, EXPR_DISTINCT, a, b);
    return node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT
               ? e
               : expr_unary(l, EXPR_NOT, e);
}

static struct expr *
lower_bool(struct lower *l, const PgQuery__BoolExpr *node)
{
    struct expr *all = NULL;
    if (node->n_args > LOWER_LIST) {
        lower_fail(l, node->location, "more than %d conditions", LOWER_LIST);
        return NULL;
    }
    for (size_t i = 0; i < node->n_args; i++) {
        struct expr *e = lower_condition(l, node->args[i]);
        if (!e)
            return NULL;
        if (node->boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR)
            return expr_unary(l, EXPR_NOT, e);
        all =
            !all
                ? e
                : expr_binary(l,
                              node->boolop == PG_QUERY__BOOL_EXPR_TYPE__AND_EXPR
                                  ? EXPR_AND
                                  : EXPR_OR,
                              all, e);
    }
    return all;
}

static struct expr *
lower_type_cast(struct lower *l, const PgQuery__TypeCast *node)
{
    struct expr *e = lower_expr(l, node->arg);
    const enum value_type type =
        e ? lower_type(l, node->type_name, NULL) : TYPE_UNKNOWN;
    return type ? lower_cast(l, e, type, node->location) : NULL;
}

static struct expr *
lower_param(struct lower *l, const PgQuery__ParamRef *node)
{
    if (!l->function || node->number < 1 ||
        (uint32_t)node->number > l->function->n_parameters) {
        lower_fail(l, node->location, "$%d names no parameter", node->number);
        return NULL;
    }
    struct expr *e =
        expr_new(l, EXPR_VARIABLE, l->variables.at[node->number - 1].type);
    e->index = (uint32_t)node->number - 1;
    return e;
}

static struct expr *
lower_moment(struct lower *l, const PgQuery__SQLValueFunction *node)
{
    if (node->op > PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP_N) {
        lower_fail(l, node->location,
                   "the current user or schema, which is not supported");
        return NULL;
    }
    return expr_input(
        l, (struct input_site){.kind = INPUT_MOMENT, .type = TYPE_INTEGER});
}

static struct expr *
lower_inner(struct lower *l, const PgQuery__Node *node)
{
    switch (node->node_case) {
    case PG_QUERY__NODE__NODE_A_CONST:
        return lower_constant(l, node->a_const);
    case PG_QUERY__NODE__NODE_COLUMN_REF:
        return lower_name(l, node->column_ref);
    case PG_QUERY__NODE__NODE_PARAM_REF:
        return lower_param(l, node->param_ref);
    case PG_QUERY__NODE__NODE_A_EXPR:
        return lower_a_expr(l, node->a_expr);
    case PG_QUERY__NODE__NODE_BOOL_EXPR:
        return lower_bool(l, node->bool_expr);
    case PG_QUERY__NODE__NODE_NULL_TEST:
        return lower_null_test(l, node->null_test);
    case PG_QUERY__NODE__NODE_BOOLEAN_TEST:
        return lower_test(l, node->boolean_test);
    case PG_QUERY__NODE__NODE_CASE_EXPR:
        return lower_case(l, node->case_expr);
    case PG_QUERY__NODE__NODE_COALESCE_EXPR:
        return lower_fold(l, EXPR_COALESCE, node->coalesce_expr->args,
                          node->coalesce_expr->n_args,
                          node->coalesce_expr->location);
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
        return lower_fold(l,
                          node->min_max_expr->op ==
                                  PG_QUERY__MIN_MAX_OP__IS_LEAST
                              ? EXPR_LEAST
                              : EXPR_GREATEST,
                          node->min_max_expr->args, node->min_max_expr->n_args,
                          node->min_max_expr->location);
    case PG_QUERY__NODE__NODE_TYPE_CAST:
        return lower_type_cast(l, node->type_cast);
    case PG_QUERY__NODE__NODE_SUB_LINK:
        return lower_sublink(l, node->sub_link);
    case PG_QUERY__NODE__NODE_FUNC_CALL:
        return lower_call(l, node->func_call);
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
        return lower_moment(l, node->sqlvalue_function);
    default:
        lower_fail(l, -1, "an expression of a kind that is not supported");
        return NULL;
    }
}

struct expr *
lower_expr(struct lower *l, const PgQuery__Node *node)
{
    if (!node) {
        lower_fail(l, -1, "no expression where one is expected");
        return NULL;
    }
    if (l->depth == PROGRAM_DEPTH) {
        lower_fail(l, -1, "an expression more than %d deep", PROGRAM_DEPTH);
        return NULL;
    }
    l->depth++;
    struct expr *e = lower_inner(l, node);
    l->depth--;
    return e;
}
