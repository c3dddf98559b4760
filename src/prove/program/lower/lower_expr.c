/* lower_expr.c -- expressions: constants, conditions, casts, and which file
 * reads the other kinds.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expr *
lower_condition(struct lower *l, const PgQuery__Node *node)
{
    struct expr *e = lower_expr(l, node);
    if (e && e->type == TYPE_UNKNOWN)
        e->type = TYPE_BOOLEAN;
    if (e && e->type == TYPE_OPAQUE)
        e = lower_cast(l, e, TYPE_BOOLEAN, -1);
    if (e && e->type != TYPE_BOOLEAN) {
        lower_fail(l, -1, "the condition is no boolean");
        return NULL;
    }
    return e;
}

/* Whether a text is a uuid, but not in small letters with four hyphens: two
 * such texts can be one uuid. */
static bool
is_unusual_uuid(const char *text)
{
    size_t digits = 0, n = strlen(text);
    bool usual = n == 36;
    for (size_t i = 0; i < n; i++) {
        const bool digit = strchr("0123456789abcdefABCDEF", text[i]) != NULL;
        const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
        if (!digit && !strchr("-{}", text[i]))
            return false;
        digits += digit;
        usual =
            usual && (hyphen ? text[i] == '-'
                             : digit && !(text[i] >= 'A' && text[i] <= 'F'));
    }
    return digits == 32 && !usual;
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
        if (l->padded && *c->sval->sval &&
            c->sval->sval[strlen(c->sval->sval) - 1] == ' ') {
            lower_fail(l, c->location,
                       "a text that ends in a blank, beside the type char, "
                       "which ignores it, is not supported");
            return NULL;
        }
        if (l->uuids && is_unusual_uuid(c->sval->sval)) {
            lower_fail(l, c->location,
                       "a uuid that is not written as PostgreSQL shows it is "
                       "not supported");
            return NULL;
        }
        e->type = TYPE_TEXT;
        e->value.number = strings_add(&l->program->texts, c->sval->sval,
                                      strlen(c->sval->sval));
        return e;
    case PG_QUERY__A__CONST__VAL_FVAL: {
        char *end;
        errno = 0;
        e->value.number = strtoll(c->fval->fval, &end, 10);
        if (*end || errno) {
            // A fraction: some number, the same wherever it is written.
            e->type = TYPE_TEXT;
            e->value.number = strings_add(&l->program->texts, c->fval->fval,
                                          strlen(c->fval->fval));
            return lower_opaque_total(
                l, "::numeric",
                (struct scalar_type){.type = TYPE_INTEGER,
                                     .number = NUMBER_NUMERIC},
                &e, 1);
        }
        // -2147483648 is an integer, too.
        if (!program_number_fits(e->type, NUMBER_INTEGER, e->value.number))
            e->number = NUMBER_BIGINT;
        return e;
    }
    default:
        lower_fail(l, c->location, "a bit string, which is not supported");
        return NULL;
    }
}

/* x = ANY (array); of a list in ARRAY[..] it is IN. */
static struct expr *
lower_any(struct lower *l, const PgQuery__AExpr *node)
{
    const char *name = lower_last_name(node->name, node->n_name);
    const bool any = node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY;
    char full[40];
    struct expr *args[2] = {lower_expr(l, node->lexpr), NULL};
    if (!args[0])
        return NULL;
    const PgQuery__Node *list = node->rexpr;
    if (NODE_IS(list, A_ARRAY_EXPR) && any && list->a_array_expr->n_elements) {
        struct expr *all = NULL;
        for (size_t i = 0; i < list->a_array_expr->n_elements; i++) {
            struct expr *a = lower_expr(l, node->lexpr);
            struct expr *b =
                a ? lower_expr(l, list->a_array_expr->elements[i]) : NULL;
            struct expr *one =
                b ? lower_operator(l, name, a, b, node->location) : NULL;
            if (!one)
                return NULL;
            all = all ? expr_binary(l, EXPR_OR, all, one) : one;
        }
        return all;
    }
    if (!(args[1] = lower_expr(l, list)))
        return NULL;
    snprintf(full, sizeof full, "%s %s", name, any ? "ANY" : "ALL");
    return lower_opaque(l, full, (struct scalar_type){.type = TYPE_BOOLEAN},
                        args, 2);
}

/* ARRAY[..] and ROW(..) of values. */
static struct expr *
lower_elements(struct lower *l, const char *name, PgQuery__Node *const *nodes,
               size_t n)
{
    enum { MOST = 60 };
    struct expr *args[MOST];
    if (n > MOST) {
        lower_fail(l, -1, "%s of more than %d values", name, MOST);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        if (!(args[i] = lower_argument(l, nodes[i])))
            return NULL;
    struct expr *e = lower_opaque(
        l, name, (struct scalar_type){.type = TYPE_OPAQUE}, args, n);
    e->whole = strcmp(name, "ROW") != 0; // a row of NULLs IS NULL
    return e;
}

/* NULLIF and IS [NOT] DISTINCT FROM of a type that is not understood. */
static struct expr *
lower_opaque_test(struct lower *l, PgQuery__AExprKind kind, struct expr *a,
                  struct expr *b)
{
    struct expr *args[] = {a, b};
    const bool nullif = kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF;
    struct expr *e = lower_opaque(
        l, nullif ? "nullif" : "IS DISTINCT FROM",
        (struct scalar_type){.type = nullif ? TYPE_OPAQUE : TYPE_BOOLEAN}, args,
        2);
    return kind == PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT
               ? expr_unary(l, EXPR_NOT, e)
               : e;
}

static struct expr *
lower_nullif(struct lower *l, struct expr *a, struct expr *b)
{
    struct expr *e = expr_new(l, EXPR_CASE, a->type);
    struct expr *null = expr_null(l);
    null->type = a->type;
    e->arg[0] = expr_binary(l, EXPR_EQ, a, b);
    e->arg[1] = null;
    e->arg[2] = a;
    e->number = a->number;
    return e;
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
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY:
    case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL:
        return lower_any(l, node);
    case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE:
    case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE:
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
    if (node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_OP ||
        node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_LIKE ||
        node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE)
        return lower_operator(l, name, a, b, node->location);
    if (!lower_match_types(l, &a, &b, node->location))
        return NULL;
    if (a->type == TYPE_OPAQUE)
        return lower_opaque_test(l, node->kind, a, b);
    if (node->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF)
        return lower_nullif(l, a, b);
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

bool
lower_moment_type(struct lower *l, const PgQuery__SQLValueFunction *node,
                  enum value_type *type)
{
    switch (node->op) {
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE:
        *type = TYPE_DATE;
        return true;
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP:
    case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP:
        *type = TYPE_TIMESTAMP;
        return true;
    default:
        return lower_fail(l, node->location,
                          "a time of day, a precision, or the current user or "
                          "schema, which is not supported");
    }
}

static struct expr *
lower_moment(struct lower *l, const PgQuery__SQLValueFunction *node)
{
    struct input_site site = {.kind = INPUT_MOMENT};
    if (node->op >= PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_ROLE &&
        l->function)
        return lower_session_value(l, "current_user");
    return lower_moment_type(l, node, &site.type) ? expr_input(l, site) : NULL;
}

/* a[i], (r).f: a part of a value that is not understood. */
static struct expr *
lower_indirection(struct lower *l, const PgQuery__AIndirection *node)
{
    const PgQuery__Node *first = node->indirection[0];
    const char *field = NODE_IS(first, STRING) ? first->string->sval : "";
    if (node->n_indirection > 1 ||
        (NODE_IS(first, A_INDICES) && first->a_indices->is_slice) ||
        lower_defines_function(l, field)) { // (r).f can be f(r)
        lower_fail(l, -1, "a part of a value of this form is not supported");
        return NULL;
    }
    struct expr *args[2] = {lower_expr(l, node->arg), NULL};
    size_t n = 1;
    if (!args[0])
        return NULL;
    if (NODE_IS(first, A_INDICES) && first->a_indices->uidx &&
        !(args[n++] = lower_expr(l, first->a_indices->uidx)))
        return NULL;
    char name[80];
    snprintf(name, sizeof name, "part%s", field);
    return lower_opaque(l, name, (struct scalar_type){.type = TYPE_OPAQUE},
                        args, n);
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
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
        return lower_elements(l, "ARRAY", node->a_array_expr->elements,
                              node->a_array_expr->n_elements);
    case PG_QUERY__NODE__NODE_ROW_EXPR:
        return lower_elements(l, "ROW", node->row_expr->args,
                              node->row_expr->n_args);
    case PG_QUERY__NODE__NODE_A_INDIRECTION:
        return lower_indirection(l, node->a_indirection);
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE:
        return lower_exact_collation(l, node->collate_clause)
                   ? lower_expr(l, node->collate_clause->arg)
                   : NULL;
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
    struct lower_mark mark;
    lower_mark(l, &mark);
    struct expr *e = lower_inner(l, node);
    if (!e) {
        lower_return(l, &mark);
        e = lower_any_expr(l, node);
    }
    l->depth--;
    return e;
}
