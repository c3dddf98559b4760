/* row_versions.c -- see row_versions.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_versions.h"

#include "base/container/sorted.h"
#include "base/limits/limit.h"
#include "spec/row/row_dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 20000, // of a table that is recorded whole
};

/* --- states ----------------------------------------------------------------*/

static bool
read_table(struct row_state *s, const struct watched *w, uint32_t table,
           struct connection *c, struct err *err)
{
    struct buf sql = {0};
    struct result_rows rows = {0};
    buf_text(&sql, "select ");
    w->dialect->put_row(&sql, w, table, "t");
    buf_printf(&sql, " from %s as t order by %s limit %d",
               w->tables.at[table].name, w->dialect->order, MOST_ROWS + 1);
    const bool ok = c->driver->query(c, sql.at, &rows) == OUTCOME_OK;
    s->is_large[table] = rows.n > MOST_ROWS;
    for (size_t i = 0; ok && i < rows.n && !s->is_large[table]; i++) {
        const char *name = result_rows_get(&rows, i, 0);
        const char *values = result_rows_get(&rows, i, 1);
        vec_push(
            &s->rows,
            ((struct row_note){
                .kind = ROW_NOTE_READ,
                .table = table,
                .before = {arena_copy(&s->arena, name, strlen(name)),
                           arena_copy(&s->arena, values, strlen(values))}}));
    }
    buf_free(&sql);
    result_rows_free(&rows);
    return ok ||
           err_set(err, ERR_IO, "cannot read the tables back: %s", c->message);
}

bool
row_state_read(struct row_state *s, const struct watched *w,
               struct connection *c, struct err *err)
{
    s->is_large = arena_alloc(&s->arena, w->tables.n + 1);
    memset(s->is_large, 0, w->tables.n + 1);
    s->began = time_now();
    bool ok = c->driver->query(c, w->dialect->begin, NULL) == OUTCOME_OK;
    for (uint32_t i = 0; ok && i < w->tables.n; i++)
        if (!w->tables.at[i].refusal)
            ok = read_table(s, w, i, c, err);
    c->driver->query(c, ok ? "commit" : "rollback", NULL);
    s->ended = time_now();
    return ok ||
           err_set(err, ERR_IO, "cannot read the tables back: %s", c->message);
}

void
row_state_free(struct row_state *s)
{
    vec_free(&s->rows);
    arena_free(&s->arena);
}

/* --- versions --------------------------------------------------------------*/

uint32_t
row_versions_add(struct row_versions *v, uint32_t table,
                 const struct row_seen *seen)
{
    const uint32_t id = strings_add(&v->names, seen->name, strlen(seen->name));
    if (id == v->all.n)
        vec_push(&v->all,
                 ((struct row_version){
                     .table = table, .values = seen->values, .row = id}));
    return id;
}

/* The number of a condition; a new one has only its texts. */
static uint32_t
find_condition(struct row_versions *v, char kind, uint32_t table,
               const char *alias, const char *text)
{
    struct buf name = {0};
    buf_printf(&name, "%c%u %s\n%s", kind, table, alias, text);
    const uint32_t id = strings_add(&v->condition_names, name.at, name.n);
    buf_free(&name);
    if (id == v->conditions.n)
        vec_push(&v->conditions,
                 ((struct row_condition_text){
                     .table = table, .alias = alias, .text = text}));
    return id;
}

uint32_t
row_versions_condition(struct row_versions *v, const struct row_statement *s)
{
    if (!*s->condition)
        return WATCHED_NONE;
    const uint32_t id =
        find_condition(v, 'q', s->table, s->alias, s->condition);
    struct row_condition_text *c = &v->conditions.at[id];
    c->equalities = s->equalities;
    c->n_equalities = s->n_equalities;
    c->is_equality = s->is_equality;
    return id;
}

uint32_t
row_versions_named(struct row_versions *v, uint32_t table, const char *text,
                   const char *sql)
{
    const uint32_t id = find_condition(v, 'c', table, "assay_t", text);
    if (!v->conditions.at[id].sql)
        v->conditions.at[id].sql = sql;
    return id;
}

/* --- questions -------------------------------------------------------------*/

bool
row_versions_refuse(struct row_versions *v, const char *what)
{
    if (!v->refusal[0])
        snprintf(v->refusal, sizeof v->refusal, "%s: %.150s", what,
                 v->connection->message);
    return false;
}

/* List the conditions by version. */
static void
turn_around(struct row_versions *v)
{
    size_t n = 0;
    for (size_t i = 0; i < v->conditions.n; i++)
        n += v->conditions.at[i].holds.n;
    v->satisfied = arena_alloc(&v->arena, (n + 1) * sizeof *v->satisfied);
    v->satisfied_end =
        arena_alloc(&v->arena, (v->all.n + 1) * sizeof *v->satisfied_end);
    memset(v->satisfied_end, 0, (v->all.n + 1) * sizeof *v->satisfied_end);
    for (size_t i = 0; i < v->conditions.n; i++)
        for (size_t k = 0; k < v->conditions.at[i].holds.n; k++)
            v->satisfied_end[v->conditions.at[i].holds.at[k] + 1]++;
    for (size_t i = 0; i < v->all.n; i++) // where those of a version begin
        v->satisfied_end[i + 1] += v->satisfied_end[i];
    for (uint32_t i = 0; i < v->conditions.n; i++)
        for (size_t k = 0; k < v->conditions.at[i].holds.n; k++)
            v->satisfied[v->satisfied_end[v->conditions.at[i].holds.at[k]]++] =
                i;
}

bool
row_versions_ask(struct row_versions *v)
{
    bool ok = true;
    for (uint32_t t = 0; ok && t < v->watched->tables.n; t++)
        ok = row_versions_tabulate(v, t);
    if (ok)
        turn_around(v);
    return ok;
}

bool
row_versions_holds(const struct row_versions *v, uint32_t condition,
                   uint32_t version)
{
    const u32_vec *holds = &v->conditions.at[condition].holds;
    return bsearch(&version, holds->at, holds->n, sizeof version,
                   sorted_compare) != NULL;
}

const uint32_t *
row_versions_satisfied(const struct row_versions *v, uint32_t version,
                       size_t *n)
{
    const size_t begin = version ? v->satisfied_end[version - 1] : 0;
    *n = v->satisfied_end[version] - begin;
    return &v->satisfied[begin];
}

void
row_versions_free(struct row_versions *v)
{
    for (size_t i = 0; i < v->conditions.n; i++)
        vec_free(&v->conditions.at[i].holds);
    strings_free(&v->names);
    strings_free(&v->condition_names);
    vec_free(&v->all);
    vec_free(&v->conditions);
    arena_free(&v->arena);
}
