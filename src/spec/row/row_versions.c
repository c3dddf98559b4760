/* row_versions.c -- see row_versions.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_versions.h"

#include "base/container/sorted.h"
#include "base/limits/limit.h"
#include "spec/row/row_book.h"
#include "spec/row/row_dialect.h"
#include "spec/row/row_reach.h"

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
    const bool ok = c->driver->query(c, sql.at, &rows) == OUTCOME_OK &&
                    row_book_name_all(w, c, &table, 1, &rows) == OUTCOME_OK;
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
    else if (seen->values != v->all.at[id].values &&
             strcmp(seen->values, v->all.at[id].values) != 0)
        v->all.at[id].is_other = true;
    return id;
}

void
row_versions_trace(struct row_versions *v)
{
    for (uint32_t i = 0; i < v->all.n; i++) {
        uint32_t first = i, next;
        while (v->all.at[first].row != first)
            first = v->all.at[first].row;
        for (uint32_t k = i; k != first; k = next) {
            next = v->all.at[k].row;
            v->all.at[k].row = first;
        }
    }
}

/* A name for a condition of a table that no other one has: its text, with a
 * number if that is not the first one. */
static const char *
name_condition(struct row_versions *v, uint32_t table, const char *text)
{
    struct buf name = {0};
    for (size_t k = 1;; k++) {
        const size_t before = v->shown_names.all.n;
        buf_clear(&name);
        buf_printf(&name, "%u %s", table, text);
        if (k > 1)
            buf_printf(&name, " (%zu)", k);
        strings_add(&v->shown_names, name.at, name.n);
        if (v->shown_names.all.n > before)
            break;
    }
    const char *shown = strchr(name.at, ' ') + 1;
    const char *copy = arena_copy(&v->arena, shown, strlen(shown));
    buf_free(&name);
    return copy;
}

/* The number of a condition, which is added if there is none with its texts.
 * One that is not about one query only shares its name with those that differ
 * in their alias. */
static uint32_t
find_condition(struct row_versions *v, char kind, const char *sql,
               struct row_condition_text c)
{
    struct buf key = {0};
    buf_printf(&key, "%c%u %s\n%s\n%s", kind, c.table, c.alias, c.text, sql);
    if (c.of)
        buf_printf(&key, "\n%p", (const void *)c.of);
    const uint32_t id = strings_add(&v->condition_names, key.at, key.n);
    buf_free(&key);
    if (id == v->conditions.n) {
        c.name = *sql || c.of ? name_condition(v, c.table, c.text) : c.text;
        vec_push(&v->conditions, c);
    }
    return id;
}

uint32_t
row_versions_condition(struct row_versions *v, const struct row_note *query)
{
    const struct row_statement *s = query->by;
    struct row_condition_text c = {.table = s->table,
                                   .alias = s->alias,
                                   .text = s->condition,
                                   .sql = query->sql,
                                   .equalities = s->equalities,
                                   .n_equalities = s->n_equalities,
                                   .is_equality = s->is_equality};
    if (row_reach_narrows(v, query, &c)) {
        c.of = query;
        c.is_equality = false;
    }
    return *c.text ? find_condition(v, 'q', c.sql ? c.sql : "", c)
                   : WATCHED_NONE;
}

uint32_t
row_versions_named(struct row_versions *v, uint32_t table, const char *text,
                   const char *sql)
{
    const uint32_t id =
        find_condition(v, 'c', "",
                       (struct row_condition_text){
                           .table = table, .alias = "assay_t", .text = text});
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

/* A row is known by its key, or by its first version.  Its number is that of
 * one of its versions. */
static void
number_rows(struct row_versions *v)
{
    struct strings keys = {0};
    u32_vec first = {0}; // by key: a version that has it
    struct buf name = {0};
    for (uint32_t i = 0; i < v->all.n; i++) {
        struct row_version *version = &v->all.at[i];
        version->number = version->row;
        if (!v->watched->tables.at[version->table].keys.n)
            continue;
        buf_clear(&name);
        buf_printf(&name, "%u %s", version->table, version->key);
        const uint32_t key = strings_add(&keys, name.at, name.n);
        if (key == first.n)
            vec_push(&first, i);
        version->number = first.at[key];
    }
    buf_free(&name);
    vec_free(&first);
    strings_free(&keys);
}

bool
row_versions_ask(struct row_versions *v)
{
    bool ok = true;
    for (uint32_t t = 0; ok && t < v->watched->tables.n; t++)
        ok = row_versions_tabulate(v, t);
    if (ok) {
        number_rows(v);
        row_reach_skip(v);
        turn_around(v);
    }
    return ok;
}

bool
row_versions_is_same_row(const struct row_versions *v, uint32_t a, uint32_t b)
{
    return v->all.at[a].number == v->all.at[b].number;
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
    strings_free(&v->shown_names);
    vec_free(&v->all);
    vec_free(&v->conditions);
    arena_free(&v->arena);
}
