/* lower_operator.c -- operators of two values, and the types they need.
 *
 * Text in quotes takes the type of the other side, as in PostgreSQL.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <string.h>

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
    else if ((*a)->type != TYPE_OPAQUE && (*b)->type == TYPE_OPAQUE)
        *a = lower_cast(l, *a, TYPE_OPAQUE, location);
    else
        *b = lower_cast(l, *b, (*a)->type, location);
    return *a && *b;
}

/* A date and a number of days, or two dates: the types of the result and of
 * the operands are set. */
static struct expr *
lower_days(struct lower *l, enum expr_kind kind, struct expr *a, struct expr *b,
           int location)
{
    if (kind == EXPR_SUBTRACT && b->type == TYPE_TEXT &&
        !(b = lower_cast(l, b, a->type, location)))
        return NULL;
    const bool days = a->type == TYPE_DATE && b->type == TYPE_DATE;
    const struct expr *n = a->type == TYPE_DATE ? b : a;
    const bool plain = n->type == TYPE_INTEGER && n->number <= NUMBER_INTEGER;
    if (!(kind == EXPR_ADD && plain) &&
        !(kind == EXPR_SUBTRACT && (days || (plain && n == b)))) {
        return lower_opaque_operator(l, kind == EXPR_ADD ? "+" : "-", a, b,
                                     location);
    }
    struct expr *e = expr_binary(l, kind, a, b);
    e->type = days ? TYPE_INTEGER : TYPE_DATE;
    return e;
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
        if (a->type == TYPE_OPAQUE || b->type == TYPE_OPAQUE)
            return lower_opaque_operator(l, name, a, b, location);
        if (kind >= EXPR_ADD && (a->type >= TYPE_DATE || b->type >= TYPE_DATE))
            return lower_days(l, kind, a, b, location);
        if (!lower_match_types(l, &a, &b, location))
            return NULL;
        if (kind >= EXPR_LT && kind <= EXPR_GE && a->type == TYPE_TEXT) {
            return lower_opaque_operator(l, name, a, b, location);
        }
        if (kind >= EXPR_ADD && !(a = lower_cast(l, a, TYPE_INTEGER, location)))
            return NULL;
        if (kind >= EXPR_ADD && !(b = lower_cast(l, b, TYPE_INTEGER, location)))
            return NULL;
        if (kind == EXPR_DIVIDE &&
            (a->number == NUMBER_NUMERIC || b->number == NUMBER_NUMERIC)) {
            struct expr *e = lower_opaque_operator(l, "/", a, b, location);
            e->type = TYPE_INTEGER;
            e->number = NUMBER_NUMERIC;
            return e;
        }
        return expr_binary(l, kind, a, b);
    }
    return lower_opaque_operator(l, name, a, b, location);
}
