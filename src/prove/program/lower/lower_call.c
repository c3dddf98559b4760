/* lower_call.c -- calls: aggregates, generated values, a few functions.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "prove/program/access.h"

#include <string.h>

/* Whether the argument names columns, and none of the query itself: then the
 * aggregate is one of the query around it. */
static bool
is_of_outer_query(const struct lower *l, const struct expr *arg)
{
    bool outer = false, own = false;
    for (size_t i = 0; i < l->visible.n; i++) {
        const bool uses = expr_uses_source(arg, l->visible.at[i].source);
        own = own || (uses && l->visible.at[i].level == l->level);
        outer = outer || (uses && l->visible.at[i].level < l->level);
    }
    return outer && !own;
}

static struct expr *
lower_aggregate(struct lower *l, const PgQuery__FuncCall *call,
                enum aggregate_kind kind)
{
    if (!l->in_targets || l->in_aggregate) {
        lower_fail(l, call->location, "an aggregate outside of the targets");
        return NULL;
    }
    if (call->agg_filter || call->over || call->n_agg_order ||
        call->n_args > 1) {
        lower_fail(l, call->location,
                   "an aggregate with FILTER, OVER or ORDER BY, which is not "
                   "supported");
        return NULL;
    }
    struct expr *arg = NULL;
    if (!call->agg_star && call->n_args == 1) {
        l->in_aggregate = true;
        arg = lower_expr(l, call->args[0]);
        l->in_aggregate = false;
        if (!arg)
            return NULL;
        const bool dates =
            (kind == AGGREGATE_MIN || kind == AGGREGATE_MAX) &&
            (arg->type == TYPE_DATE || arg->type == TYPE_TIMESTAMP);
        if (kind != AGGREGATE_COUNT && !dates &&
            !(arg = lower_cast(
                  l, arg, kind >= AGGREGATE_ANY ? TYPE_BOOLEAN : TYPE_INTEGER,
                  call->location)))
            return NULL;
        if (is_of_outer_query(l, arg)) {
            lower_fail(l, call->location,
                       "an aggregate of an outer query is not supported");
            return NULL;
        }
    }
    struct expr *e = expr_new(
        l, EXPR_AGGREGATE, kind == AGGREGATE_COUNT ? TYPE_INTEGER : arg->type);
    e->index = (uint32_t)l->aggregates.n;
    e->number = kind == AGGREGATE_COUNT         ? NUMBER_BIGINT
                : kind != AGGREGATE_SUM         ? arg->number
                : arg->number <= NUMBER_INTEGER ? NUMBER_BIGINT
                                                : NUMBER_NUMERIC;
    const struct aggregate aggregate = {kind, call->agg_distinct != 0, arg};
    vec_push(&l->aggregates, aggregate);
    return e;
}

/* now() and its kin are one value for a transaction. */
static struct expr *
lower_generator(struct lower *l, const char *name)
{
    static const struct {
        const char *name;
        struct input_site site;
    } generators[] = {
        {"now", {INPUT_MOMENT, TYPE_TIMESTAMP, 0, 0}},
        {"transaction_timestamp", {INPUT_MOMENT, TYPE_TIMESTAMP, 0, 0}},
        {"clock_timestamp", {INPUT_ANY, TYPE_TIMESTAMP, 0, 0}},
        {"statement_timestamp", {INPUT_ANY, TYPE_TIMESTAMP, 0, 0}},
    };
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
        if (strcmp(name, generators[i].name) == 0)
            return expr_input(l, generators[i].site);
    return NULL;
}

/* abs(x) and mod(x, y) with the operators that there are. */
static struct expr *
lower_arithmetic(struct lower *l, const PgQuery__FuncCall *call,
                 const char *name)
{
    struct expr *a = lower_expr(l, call->args[0]);
    if (!a || !(a = lower_cast(l, a, TYPE_INTEGER, call->location)))
        return NULL;
    if (strcmp(name, "abs") == 0)
        return expr_binary(l, EXPR_GREATEST, a, expr_unary(l, EXPR_NEGATE, a));
    struct expr *b = lower_expr(l, call->args[1]);
    if (!b || !(b = lower_cast(l, b, TYPE_INTEGER, call->location)))
        return NULL;
    return expr_binary(l, EXPR_MODULO, a, b);
}

struct expr *
lower_call(struct lower *l, const PgQuery__FuncCall *call)
{
    static const struct {
        const char *name;
        enum aggregate_kind kind;
    } aggregates[] = {
        {"count", AGGREGATE_COUNT}, {"sum", AGGREGATE_SUM},
        {"min", AGGREGATE_MIN},     {"max", AGGREGATE_MAX},
        {"bool_or", AGGREGATE_ANY}, {"bool_and", AGGREGATE_ALL},
        {"every", AGGREGATE_ALL},
    };
    const char *name = lower_last_name(call->funcname, call->n_funcname);
    if (call->n_funcname > 1 &&
        strcmp(lower_last_name(call->funcname, 1), "pg_catalog") != 0)
        return lower_opaque_call(l, call);
    if (lower_defines_function(l, name)) // of other types, or of its schema
        return lower_opaque_call(l, call);
    for (size_t i = 0; i < sizeof aggregates / sizeof *aggregates; i++)
        if (strcmp(name, aggregates[i].name) == 0)
            return lower_aggregate(l, call, aggregates[i].kind);
    if ((strcmp(name, "abs") == 0 && call->n_args == 1) ||
        (strcmp(name, "mod") == 0 && call->n_args == 2))
        return lower_arithmetic(l, call, name);
    struct expr *e =
        call->n_args || !l->function ? NULL : lower_generator(l, name);
    return e ? e : lower_opaque_call(l, call);
}
