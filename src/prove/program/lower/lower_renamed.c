/* lower_renamed.c -- the names that tables and columns had before.
 *
 * Keys, indexes, triggers and rules are read when all ALTER TABLE have been.
 * Such a statement may name a table or a column by a name that it lost later,
 * and that another one has now.  So names are followed from the statement on.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/lower/lower.h"

#include <string.h>

void
lower_note_renamed(struct lower *l, uint32_t table, const char *old,
                   const char *now)
{
    const struct renamed r = {l->order, table, program_copy(l->program, old),
                              now ? program_copy(l->program, now) : NULL};
    vec_push(&l->renamed, r);
}

/* The name that something has now; NULL: it is dropped. */
static const char *
follow(const struct lower *l, uint32_t table, const char *name)
{
    for (size_t i = 0; name && i < l->renamed.n; i++) {
        const struct renamed *r = &l->renamed.at[i];
        if (r->order > l->order && r->table == table &&
            strcmp(r->old, name) == 0)
            name = r->now;
    }
    return name;
}

const char *
lower_table_now(const struct lower *l, const char *name)
{
    return follow(l, UINT32_MAX, name);
}

const char *
lower_column_now(const struct lower *l, const struct table *t, const char *name)
{
    const struct table *first = l->program->tables.at;
    if (t < first || t >= first + l->program->tables.n)
        return name; // it is being made
    return follow(l, (uint32_t)(t - first), name);
}

bool
lower_was_renamed(const struct lower *l, const char *table)
{
    for (size_t i = 0; i < l->renamed.n; i++)
        if (l->renamed.at[i].table == UINT32_MAX &&
            strcmp(l->renamed.at[i].old, table) == 0)
            return true;
    return false;
}

void
lower_ambiguous(struct lower *l, const PgQuery__RangeVar *range)
{
    for (uint32_t i = 0; i < l->program->tables.n; i++) {
        struct table *t = &l->program->tables.at[i];
        if (lower_is_named(t, range) && !t->unknown)
            t->unknown = "a statement names it or another table of its name";
    }
}
