/* watched_checks_table.c -- see watched_checks_table.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/watched_checks_table.h"

#include "base/ascii.h"

#include <string.h>

enum { TABLE, NAME, COLUMN, OTHER, OTHER_COLUMN, IS_OTHER };

/* The column as the table calls it; NULL if it has none. */
static const char *
find_column(const struct watched *w, uint32_t table, const char *name)
{
    const struct watched_table *t = &w->tables.at[table];
    for (size_t i = 0; i < t->columns.n; i++)
        if (ascii_compare(t->columns.at[i], name) == 0)
            return t->columns.at[i];
    return NULL;
}

/* Whether these columns are the key that names rows, in any order. */
static bool
is_key(const struct watched_table *t, const text_vec *columns)
{
    size_t found = 0;
    for (size_t i = 0; i < columns->n; i++)
        for (size_t k = 0; k < t->keys.n; k++)
            found += strcmp(columns->at[i], t->keys.at[k]) == 0;
    return t->keys.n && columns->n == t->keys.n && found == t->keys.n;
}

/* Statements about the table do something that is not recorded. */
static void
leave_out(struct watched *w, uint32_t table, const char *what)
{
    if (table != WATCHED_NONE && !w->tables.at[table].part)
        w->tables.at[table].part = what;
}

/* Add the columns of a row of the answer; false if one is not known. */
static bool
add_columns(const struct watched *w, const struct result_rows *r, size_t i,
            struct watched_check *c)
{
    const char *own = find_column(w, c->table, result_rows_get(r, i, COLUMN));
    const char *other =
        c->kind == WATCHED_UNIQUE
            ? own
            : find_column(w, c->other, result_rows_get(r, i, OTHER_COLUMN));
    if (!own || !other)
        return false;
    vec_push(&c->names, own);
    vec_push(&c->other_names, other);
    return true;
}

/* Add the constraint that has rows of the answer from one up to another. */
static void
take(struct watched *w, const struct result_rows *r, size_t from, size_t to)
{
    const char *other = result_rows_get(r, from, OTHER);
    struct watched_check c = {
        .kind = *other ? WATCHED_FOREIGN : WATCHED_UNIQUE,
        .table = watched_find(w, "", result_rows_get(r, from, TABLE)),
        .columns = "",
        .where = WATCHED_ALL_ROWS,
        .other_columns = "",
        .other_where = WATCHED_ALL_ROWS,
    };
    if (c.table == WATCHED_NONE)
        return;
    c.other = *other ? watched_find(w, "", other) : c.table;
    bool ok = c.other != WATCHED_NONE;
    for (size_t i = from; ok && i < to; i++)
        ok =
            *result_rows_get(r, i, IS_OTHER) != '1' && add_columns(w, r, i, &c);
    if (c.kind == WATCHED_UNIQUE && ok &&
        is_key(&w->tables.at[c.table], &c.names))
        ok = false; // an insert reads that its key is not there
    else if (!ok) {
        const char *what = c.kind == WATCHED_UNIQUE ? "what unique indexes read"
                                                    : "what foreign keys read";
        leave_out(w, c.table, what);
        leave_out(w, c.other, what);
    }
    if (ok) {
        c.is_by_key = c.kind == WATCHED_FOREIGN &&
                      is_key(&w->tables.at[c.other], &c.other_names);
        vec_push(&w->checks, c);
    } else {
        vec_free(&c.names);
        vec_free(&c.other_names);
    }
}

void
watched_checks_take(struct watched *w, const struct result_rows *r)
{
    for (size_t from = 0, to; from < r->n; from = to) {
        for (to = from + 1; to < r->n; to++)
            if (strcmp(result_rows_get(r, from, TABLE),
                       result_rows_get(r, to, TABLE)) != 0 ||
                strcmp(result_rows_get(r, from, NAME),
                       result_rows_get(r, to, NAME)) != 0)
                break;
        take(w, r, from, to);
    }
}
