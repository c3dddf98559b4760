/* lower_sugar.c -- what SQL says in more words than are needed: IN, BETWEEN,
 * CASE, COALESCE, subqueries as operands, IS [NOT] TRUE.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <string.h>

/* x IN (a, b, ..) is x = a OR x = b ..; NOT IN is the negation of that. */
struct expr *
lower_in(struct lower *l, const PgQuery__AExpr *node, bool negated)
{
    if (!NODE_IS(node->rexpr, LIST)) {
        lower_fail(l, node->location, "IN without a list");
        return NULL;
    }
    struct expr *all = NULL;
    if (node->rexpr->list->n_items > LOWER_LIST) {
        lower_fail(l, node->location, "a list of more than %d", LOWER_LIST);
        return NULL;
    }
    for (size_t i = 0; i < node->rexpr->list->n_items; i++) {
        struct expr *a = lower_expr(l, node->lexpr);
        struct expr *b = a ? lower_expr(l, node->rexpr->list->items[i]) : NULL;
        struct expr *same =
            b ? lower_operator(l, "=", a, b, node->location) : NULL;
        if (!same)
            return NULL;
        all = all ? expr_binary(l, EXPR_OR, all, same) : same;
    }
    return negated ? expr_unary(l, EXPR_NOT, all) : all;
}

struct expr *
lower_between(struct lower *l, const PgQuery__AExpr *node, bool negated)
{
    assert(NODE_IS(node->rexpr, LIST) && node->rexpr->list->n_items == 2);
    struct expr *a = lower_expr(l, node->lexpr);
    struct expr *low = a ? lower_expr(l, node->rexpr->list->items[0]) : NULL;
    struct expr *high = low ? lower_expr(l, node->rexpr->list->items[1]) : NULL;
    struct expr *left =
        high ? lower_operator(l, ">=", a, low, node->location) : NULL;
    struct expr *right =
        left ? lower_operator(l, "<=", a, high, node->location) : NULL;
    if (!right)
        return NULL;
    struct expr *both = expr_binary(l, EXPR_AND, left, right);
    return negated ? expr_unary(l, EXPR_NOT, both) : both;
}

/* CASE [x] WHEN a THEN .. END as a chain of choices. */
struct expr *
lower_case(struct lower *l, const PgQuery__CaseExpr *node)
{
    struct expr *rest =
        node->defresult ? lower_expr(l, node->defresult) : expr_null(l);
    for (size_t i = node->n_args; rest && i-- > 0;) {
        const PgQuery__CaseWhen *when = node->args[i]->case_when;
        struct expr *condition;
        if (node->arg) {
            struct expr *a = lower_expr(l, node->arg);
            struct expr *b = a ? lower_expr(l, when->expr) : NULL;
            condition = b ? lower_operator(l, "=", a, b, when->location) : NULL;
        } else {
            condition = lower_condition(l, when->expr);
        }
        struct expr *value = condition ? lower_expr(l, when->result) : NULL;
        if (!value)
            return NULL;
        if (!lower_match_types(l, &value, &rest, node->location))
            return NULL;
        struct expr *e = expr_new(l, EXPR_CASE, value->type);
        e->arg[0] = condition;
        e->arg[1] = value;
        e->arg[2] = rest;
        e->number = value->number > rest->number ? value->number : rest->number;
        rest = e;
    }
    return rest;
}

/* COALESCE, LEAST, GREATEST of any number of values. */
struct expr *
lower_fold(struct lower *l, enum expr_kind kind, PgQuery__Node *const *nodes,
           size_t n, int location)
{
    struct expr *all = NULL;
    for (size_t i = n; i-- > 0;) {
        struct expr *e = lower_expr(l, nodes[i]);
        if (!e || (all && !lower_match_types(l, &e, &all, location)))
            return NULL;
        if (kind != EXPR_COALESCE && all &&
            (e->type == TYPE_TEXT || e->type == TYPE_OPAQUE)) {
            struct expr *args[] = {e, all};
            all = lower_opaque(l, kind == EXPR_LEAST ? "least" : "greatest",
                               (struct scalar_type){.type = e->type}, args, 2);
            continue;
        }
        all = all ? expr_binary(l, kind, e, all) : e;
    }
    return all;
}

/* x IN (SELECT y ..): true where a y is equal, else NULL where one might be,
 * else false. */
static struct expr *
lower_in_query(struct lower *l, const PgQuery__SubLink *node)
{
    struct expr *found[2];
    for (int i = 0; i < 2; i++) {
        struct query *q = lower_query(l, node->subselect->select_stmt);
        if (!q)
            return NULL;
        if (q->n_targets != 1 || q->n_aggregates || q->limit >= 0 || q->lock) {
            lower_fail(l, node->location,
                       "IN (SELECT ..) with an aggregate, a LIMIT, a lock or "
                       "several columns, which is not supported");
            return NULL;
        }
        struct expr *a = lower_expr(l, node->testexpr);
        struct expr *b = expr_new(l, EXPR_CASE, q->targets[0].value->type);
        b->arg[0] = expr_boolean(l, true);
        b->arg[1] = b->arg[2] = q->targets[0].value;
        if (!a || !lower_match_types(l, &a, &b, node->location))
            return NULL;
        struct expr *value = expr_new(l, EXPR_CONSTANT, TYPE_TEXT);
        *value = *q->targets[0].value;
        struct expr *same = lower_operator(l, "=", a, value, node->location);
        if (!same)
            return NULL;
        if (i == 1)
            same = expr_unary(l, EXPR_IS_NULL, same);
        q->where = q->where ? expr_binary(l, EXPR_AND, q->where, same) : same;
        found[i] = expr_new(l, EXPR_EXISTS, TYPE_BOOLEAN);
        found[i]->query = q;
    }
    struct expr *null = expr_null(l);
    null->type = TYPE_BOOLEAN;
    struct expr *maybe = expr_new(l, EXPR_CASE, TYPE_BOOLEAN);
    maybe->arg[0] = found[1];
    maybe->arg[1] = null;
    maybe->arg[2] = expr_boolean(l, false);
    return expr_binary(l, EXPR_OR, found[0], maybe);
}

struct expr *
lower_sublink(struct lower *l, const PgQuery__SubLink *node)
{
    if (node->sub_link_type == PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK &&
        !node->n_oper_name)
        return lower_in_query(l, node);
    const bool exists =
        node->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK;
    if (!exists &&
        node->sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK) {
        lower_fail(l, node->location,
                   "a kind of subquery that is not supported");
        return NULL;
    }
    struct query *q = lower_query(l, node->subselect->select_stmt);
    if (!q)
        return NULL;
    if (q->lock) {
        lower_fail(l, node->location, "a lock in a subquery is not supported");
        return NULL;
    }
    if (!exists && q->n_targets != 1) {
        lower_fail(l, node->location, "a subquery of %u columns, expected one",
                   q->n_targets);
        return NULL;
    }
    struct expr *e =
        expr_new(l, exists ? EXPR_EXISTS : EXPR_SCALAR,
                 exists ? TYPE_BOOLEAN : q->targets[0].value->type);
    e->query = q;
    if (!exists)
        e->number = q->targets[0].value->number;
    return e;
}

struct expr *
lower_test(struct lower *l, const PgQuery__BooleanTest *node)
{
    struct expr *e = lower_condition(l, node->arg);
    if (!e)
        return NULL;
    const bool about_null =
        node->booltesttype == PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN ||
        node->booltesttype == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN;
    const bool negated =
        node->booltesttype == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE ||
        node->booltesttype == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE ||
        node->booltesttype == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN;
    const bool truth =
        node->booltesttype == PG_QUERY__BOOL_TEST_TYPE__IS_TRUE ||
        node->booltesttype == PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE;
    struct expr *differs =
        about_null ? expr_unary(l, EXPR_NOT, expr_unary(l, EXPR_IS_NULL, e))
                   : expr_binary(l, EXPR_DISTINCT, e, expr_boolean(l, truth));
    return negated ? differs : expr_unary(l, EXPR_NOT, differs);
}

/* r IS NULL: all fields of the record are; r IS NOT NULL: none of them is.
 * NULL where the operand is no record. */
static struct expr *
lower_record_test(struct lower *l, const PgQuery__NullTest *node)
{
    if (!NODE_IS(node->arg, COLUMN_REF) ||
        node->arg->column_ref->n_fields != 1 ||
        !NODE_IS(node->arg->column_ref->fields[0], STRING))
        return NULL;
    const char *name = node->arg->column_ref->fields[0]->string->sval;
    if (lower_find_variable(l, name) != UINT32_MAX)
        return NULL;
    const struct expr *row = lower_whole_row(l, name);
    struct expr *all = NULL;
    for (const struct expr *rest = row ? row->arg[0] : NULL; rest;
         rest = rest->kind == EXPR_LIST ? rest->arg[1] : NULL) {
        struct expr *one = expr_unary(
            l, EXPR_IS_NULL, rest->kind == EXPR_LIST ? rest->arg[0] : rest);
        if (node->nulltesttype != PG_QUERY__NULL_TEST_TYPE__IS_NULL)
            one = expr_unary(l, EXPR_NOT, one);
        all = all ? expr_binary(l, EXPR_AND, all, one) : one;
    }
    return all;
}

struct expr *
lower_null_test(struct lower *l, const PgQuery__NullTest *node)
{
    struct expr *row = lower_record_test(l, node);
    if (row)
        return row;
    if (NODE_IS(node->arg, ROW_EXPR)) {
        lower_fail(l, -1, "ROW(..) IS NULL is not supported");
        return NULL;
    }
    struct expr *e = lower_expr(l, node->arg);
    if (!e)
        return NULL;
    if (e->type == TYPE_UNKNOWN)
        e->type = TYPE_INTEGER;
    struct expr *is = expr_unary(l, EXPR_IS_NULL, e);
    return node->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NULL
               ? is
               : expr_unary(l, EXPR_NOT, is);
}
