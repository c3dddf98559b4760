/* lower_name.c -- what a name in an expression means: a column, a variable, a
 * field of a record, or the number of a parameter.
 *
 * A column of the innermost query that has one comes first.  Where a variable
 * has the same name, PL/pgSQL reports an ambiguity, and so does this file.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <stdio.h>
#include <string.h>

/* The variable of an unqualified name, or of a name like r.balance. */
static struct expr *
variable_named(struct lower *l, const char *name)
{
    const uint32_t v = lower_find_variable(l, name);
    if (v == UINT32_MAX)
        return NULL;
    struct expr *e = expr_new(l, EXPR_VARIABLE, l->variables.at[v].type);
    e->index = v;
    e->number = l->variables.at[v].number;
    return e;
}

/* A part of the column that stands for several. */
static struct expr *
lower_folded(struct lower *l, const struct visible *v)
{
    struct expr *column =
        expr_column(l, v->source, l->program->tables.at[v->table].folded);
    struct expr *e = lower_opaque(
        l, "more", (struct scalar_type){.type = TYPE_OPAQUE}, &column, 1);
    e->any = true;
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
        const uint32_t c = lower_find_column(t, name);
        if (c == UINT32_MAX || (t->hidden_key && c + 1 == t->n_columns))
            continue;
        if (*out)
            return l->wrong = true,
                   lower_fail(l, location,
                              "'%s' is a column of two tables here", name);
        *out = lower_is_folded(t, c) ? lower_folded(l, v)
                                     : expr_column(l, v->source, c);
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

/* A column that every table has. */
static bool
is_system(const char *name)
{
    static const char *const names[] = {"ctid", "xmin", "xmax",
                                        "cmin", "cmax", "tableoid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool
is_record(const struct lower *l, const char *name)
{
    for (size_t i = 0; i < l->records.n; i++)
        if (strcmp(l->records.at[i], name) == 0)
            return true;
    return false;
}

struct expr *
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
        l->wrong = true;
        lower_fail(l, ref->location,
                   "'%s' is both a column and a variable here", parts[0]);
        return NULL;
    }
    if (!column && !variable) {
        l->wrong = !is_visible_table(l, parts[0]) && !is_record(l, parts[0]) &&
                   !is_system(parts[0]);
        lower_fail(l, ref->location, "'%s' names no column or variable",
                   parts[0]);
    }
    return column ? column : variable;
}

struct expr *
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
    e->number = l->variables.at[e->index].number;
    return e;
}
