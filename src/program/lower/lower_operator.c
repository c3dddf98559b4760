/* lower_operator.c -- operators of two values, and the types they need.
 *
 * Text in quotes takes the type of the other side, as in PostgreSQL.  Other
 * casts between types are errors: they would change values.
 *
 * SPDX-License-Identifier: MIT */
#include "program/lower/lower.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
        if (kind == EXPR_DIVIDE &&
            (a->number == NUMBER_NUMERIC || b->number == NUMBER_NUMERIC)) {
            lower_fail(l, location,
                       "a division of numeric values, which may leave a "
                       "fraction, is not supported");
            return NULL;
        }
        return expr_binary(l, kind, a, b);
    }
    lower_fail(l, location, "operator '%s' is not supported", name);
    return NULL;
}
