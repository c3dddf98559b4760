/* lower_named.c -- the names of constraints, for DROP CONSTRAINT.
 *
 * A constraint without a name of its own has the one that PostgreSQL gives it:
 * table_column_key, table_column_fkey, table_column_check, table_pkey, with a
 * number where the name is taken.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "base/buf.h"

#include <string.h>

enum { MOST_LETTERS = 63 }; // of a name; PostgreSQL shortens longer ones

static uint32_t
number_of(const struct lower *l, const struct table *t)
{
    const struct table *first = l->program->tables.at;
    const size_t n = l->program->tables.n;
    return t >= first && t < first + n ? (uint32_t)(t - first) : (uint32_t)n;
}

static struct named *
find_named(struct lower *l, uint32_t table, const char *name)
{
    for (size_t i = 0; i < l->constraints.n; i++) {
        struct named *c = &l->constraints.at[i];
        if (c->table == table && !c->dropped && strcmp(c->name, name) == 0)
            return c;
    }
    return NULL;
}

static void
collect_columns(const struct expr *e, uint64_t *columns)
{
    if (e->kind == EXPR_COLUMN)
        *columns |= (uint64_t)1 << e->column;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++)
        collect_columns(e->arg[i], columns);
}

static void
put_columns(const struct table *t, const struct columns *columns,
            const struct expr *check, struct buf *out)
{
    uint64_t used = 0;
    if (check)
        collect_columns(check, &used);
    for (uint32_t i = 0; columns && i < columns->n; i++)
        buf_printf(out, "_%s", t->columns[columns->at[i]].name);
    for (uint32_t i = 0; used && !(used & (used - 1)) && i < t->n_columns; i++)
        if (used >> i & 1)
            buf_printf(out, "_%s", t->columns[i].name);
}

static const char *
ending_of(const PgQuery__Constraint *k)
{
    return k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY   ? "_pkey"
           : k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE  ? "_key"
           : k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN ? "_fkey"
                                                                 : "_check";
}

void
lower_name_constraint(struct lower *l, const struct table *t,
                      const PgQuery__Constraint *k,
                      const struct columns *columns, const struct expr *check)
{
    struct buf text = {0};
    const uint32_t table = number_of(l, t);
    const bool primary = k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY;
    const bool unknown = check && check->kind == EXPR_OPAQUE &&
                         strcmp(check->name, "check") == 0;
    if (k->conname && *k->conname) {
        buf_text(&text, k->conname);
    } else {
        buf_text(&text, t->name);
        put_columns(t, primary ? NULL : columns, check, &text);
        buf_text(&text, ending_of(k));
        const size_t n = text.n;
        for (uint32_t i = 1; find_named(l, table, text.at); i++) {
            text.n = n;
            buf_printf(&text, "%u", i);
        }
    }
    const bool known = text.n <= MOST_LETTERS && (!unknown || *k->conname);
    const struct named c = {
        .table = table,
        .name = known ? program_copy(l->program, text.at) : "",
        .node = k,
        .check = check,
        .unique = k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE && columns
                      ? columns->at
                      : NULL};
    vec_push(&l->constraints, c);
    buf_free(&text);
}

void
lower_remove_unique(struct table *t, uint32_t i)
{
    memmove(t->unique + i, t->unique + i + 1,
            (t->n_unique - i - 1) * sizeof *t->unique);
    t->n_unique--;
}

void
lower_remove_check(struct table *t, uint32_t i)
{
    memmove(t->checks + i, t->checks + i + 1,
            (t->n_checks - i - 1) * sizeof *t->checks);
    t->n_checks--;
}

bool
lower_drop_constraint(struct lower *l, struct table *t, const char *name,
                      bool missing_ok, bool cascade)
{
    const uint32_t table = number_of(l, t);
    struct named *c = find_named(l, table, name);
    // One whose name is not known may be the one that is meant.
    const bool doubt = find_named(l, table, "") != NULL;
    if (!c && missing_ok && !doubt)
        return true;
    if (!c || (c->node->contype == PG_QUERY__CONSTR_TYPE__CONSTR_UNIQUE &&
               !c->unique))
        return lower_fail(l, -1, "DROP CONSTRAINT %s is not supported", name);
    if (cascade && (c->unique ||
                    c->node->contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY))
        return lower_fail(l, -1, "DROP CONSTRAINT %s CASCADE is not supported",
                          name);
    c->dropped = true;
    if (c->node->contype == PG_QUERY__CONSTR_TYPE__CONSTR_PRIMARY)
        t->primary = (struct columns){0};
    for (uint32_t i = 0; c->unique && i < t->n_unique; i++)
        if (t->unique[i].at == c->unique) {
            lower_remove_unique(t, i);
            break;
        }
    for (uint32_t i = 0; c->check && i < t->n_checks; i++)
        if (t->checks[i] == c->check) {
            lower_remove_check(t, i);
            break;
        }
    return true;
}

bool
lower_is_dropped(const struct lower *l, const PgQuery__Constraint *k)
{
    for (size_t i = 0; i < l->constraints.n; i++)
        if (l->constraints.at[i].node == k)
            return l->constraints.at[i].dropped;
    return false;
}
