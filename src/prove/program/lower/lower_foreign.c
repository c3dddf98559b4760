/* lower_foreign.c -- foreign keys, in a second pass, when every table is known.
 *
 * A key to anything but the primary key makes that the primary key, where it
 * can be one; any other stands in the way of writes.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include "base/buf.h"

#include <string.h>

/* A row that such a foreign key refers to may be neither deleted nor given
 * another key: the table that has the key is not modelled. */
static bool
guard_foreign(struct lower *l, const PgQuery__Constraint *k, struct table *to,
              struct table *t, const char *what)
{
    (void)k;
    lower_table_guard(l, to, TABLE_DELETE, what, t->name);
    lower_table_guard(l, to, TABLE_UPDATE, what, t->name);
    to->guarded_columns = UINT64_MAX;
    lower_table_guard(l, t, TABLE_INSERT, what, t->name);
    lower_table_guard(l, t, TABLE_UPDATE, what, t->name);
    t->guarded_columns = UINT64_MAX;
    return true;
}

/* A key to a UNIQUE constraint of columns that are not NULL: that is as good a
 * primary key, where no other foreign key has made use of the one there is. */
static bool
swap_primary(const struct lower *l, uint32_t table, struct table *to,
             const struct columns *referenced)
{
    const struct program *p = l->program;
    for (uint32_t i = 0; i < referenced->n; i++)
        if (!to->columns[referenced->at[i]].not_null)
            return false;
    for (size_t i = 0; i < p->tables.n; i++)
        for (uint32_t f = 0; f < p->tables.at[i].n_foreign; f++)
            if (p->tables.at[i].foreign[f].table == table)
                return false;
    for (uint32_t u = 0; !to->hidden_key && u < to->n_unique; u++) {
        struct columns *unique = &to->unique[u];
        bool same = unique->n == referenced->n;
        for (uint32_t i = 0; same && i < referenced->n; i++)
            same = columns_have(unique, referenced->at[i]);
        if (!same)
            continue;
        const struct columns primary = to->primary;
        to->declared = primary;
        to->primary = *unique;
        *unique = primary;
        return true;
    }
    return false;
}

static bool
is_primary(const struct table *to, const struct columns *referenced)
{
    for (uint32_t i = 0; i < referenced->n; i++)
        if (!columns_have(&to->primary, referenced->at[i]))
            return false;
    return referenced->n == to->primary.n && !to->hidden_key;
}

static void
guard_cascade(struct lower *l, struct table *to, const struct table *t,
              const char *action)
{
    const char *words = *action == 'c'   ? "ON DELETE CASCADE to table"
                        : *action == 'n' ? "ON DELETE SET NULL in table"
                        : *action == 'd' ? "ON DELETE SET DEFAULT in table"
                                         : NULL;
    // It differs from NO ACTION where one statement deletes both rows.
    if (*action == 'r' && to == t)
        lower_table_guard(l, to, TABLE_DELETE,
                          "ON DELETE RESTRICT of the table to itself,",
                          t->name);
    if (!words || to->cascades)
        return;
    // Without rows that refer to the deleted one it is NO ACTION.
    struct buf text = {0};
    buf_printf(&text, "a DELETE with %s %s", words, t->name);
    to->cascades = program_copy(l->program, text.at);
    buf_free(&text);
}

/* Whether a column of the key was dropped, and the key with it. */
static bool
lacks_column(const struct lower *l, const struct table *t,
             const struct table *to, const PgQuery__Constraint *k, uint32_t c)
{
    for (size_t i = 0; i < k->n_fk_attrs; i++)
        if (!lower_column_now(l, t, k->fk_attrs[i]->string->sval))
            return true;
    for (size_t i = 0; to && i < k->n_pk_attrs; i++)
        if (!lower_column_now(l, to, k->pk_attrs[i]->string->sval))
            return true;
    if (to && !k->n_pk_attrs && !lower_column_now(l, to, ""))
        return true;
    return !k->n_fk_attrs && c == UINT32_MAX;
}

bool
lower_foreign_key(struct lower *l, struct table *t, uint32_t c,
                  const PgQuery__Constraint *k)
{
    struct foreign_key f = {0};
    f.table = lower_table_of(l, k->pktable);
    if (lower_is_dropped(l, k) ||
        lacks_column(l, t,
                     f.table == UINT32_MAX ? NULL
                                           : &l->program->tables.at[f.table],
                     k, c))
        return true;
    if (f.table == UINT32_MAX)
        lower_ambiguous(l, k->pktable);
    if (f.table == UINT32_MAX || l->program->tables.at[f.table].unknown) {
        lower_skip(l, "foreign key to a table that is not in the files",
                   k->pktable->relname, k->location);
        return true; // none of the functions that are understood writes it
    }
    struct table *to = &l->program->tables.at[f.table];
    if (t->unknown)
        return guard_foreign(l, k, to, t, "a foreign key of table");
    if (c != UINT32_MAX)
        f.columns = lower_one_column(l, c);
    else if (!lower_find_columns(l, t, k->fk_attrs, k->n_fk_attrs, k->location,
                                 &f.columns))
        return false;
    f.referenced = to->declared.n ? to->declared : to->primary;
    if (k->n_pk_attrs && !lower_find_columns(l, to, k->pk_attrs, k->n_pk_attrs,
                                             k->location, &f.referenced))
        return false;
    if (k->deferrable || k->initdeferred)
        return guard_foreign(l, k, to, t, "a deferrable foreign key of table");
    if (strcmp(k->fk_matchtype, "f") == 0 && f.columns.n > 1)
        return guard_foreign(l, k, to, t,
                             "a foreign key with MATCH FULL of table");
    if (f.columns.n != f.referenced.n ||
        (!is_primary(to, &f.referenced) &&
         !swap_primary(l, f.table, to, &f.referenced)))
        return guard_foreign(l, k, to, t,
                             "a foreign key to something else than the "
                             "primary key, of table");
    for (uint32_t i = 0; i < f.columns.n; i++)
        if (t->columns[f.columns.at[i]].type == TYPE_OPAQUE)
            return guard_foreign(l, k, to, t,
                                 "a foreign key of a type that is not "
                                 "understood, of table");
    guard_cascade(l, to, t, k->fk_del_action);
    struct foreign_key *all =
        program_alloc(l->program, t->n_foreign + 1, sizeof *all);
    if (t->n_foreign)
        memcpy(all, t->foreign, t->n_foreign * sizeof *all);
    all[t->n_foreign++] = f;
    t->foreign = all;
    return true;
}

static uint32_t
column_now(const struct lower *l, const struct table *t, const char *name)
{
    name = lower_column_now(l, t, name);
    return name ? table_find_column(t, name) : UINT32_MAX;
}

bool
lower_foreign_keys(struct lower *l, const PgQuery__CreateStmt *create)
{
    const uint32_t at = lower_table_of(l, create->relation);
    struct table *t = at == UINT32_MAX ? NULL : &l->program->tables.at[at];
    if (!t || strcmp(t->file, l->file) != 0 ||
        t->line != lower_line(l, create->relation->location))
        return true; // the table was there already
    for (size_t i = 0; i < create->n_table_elts; i++) {
        const PgQuery__Node *node = create->table_elts[i];
        if (NODE_IS(node, CONSTRAINT) &&
            node->constraint->contype ==
                PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN &&
            !lower_foreign_key(l, t, UINT32_MAX, node->constraint))
            return lower_table_unknown(l, t), false;
        if (!NODE_IS(node, COLUMN_DEF))
            continue;
        const PgQuery__ColumnDef *def = node->column_def;
        for (size_t j = 0; j < def->n_constraints; j++) {
            const PgQuery__Constraint *k = def->constraints[j]->constraint;
            if (k->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN &&
                !lower_foreign_key(l, t, column_now(l, t, def->colname), k))
                return lower_table_unknown(l, t), false;
        }
    }
    return true;
}
