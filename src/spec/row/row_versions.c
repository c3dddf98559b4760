/* row_versions.c -- see row_versions.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_versions.h"

#include "base/limits/limit.h"
#include "spec/row/row_dialect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 20000, // of a table that is recorded whole
    AT_ONCE = 1000,    // versions in one query
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

uint32_t
row_versions_condition(struct row_versions *v, const struct row_statement *s)
{
    if (!*s->condition)
        return WATCHED_NONE;
    for (uint32_t i = 0; i < v->conditions.n; i++) {
        const struct row_condition_text *c = &v->conditions.at[i];
        if (c->table == s->table && strcmp(c->text, s->condition) == 0 &&
            strcmp(c->alias, s->alias) == 0)
            return i;
    }
    vec_push(&v->conditions,
             ((struct row_condition_text){
                 .table = s->table, .alias = s->alias, .text = s->condition}));
    return (uint32_t)v->conditions.n - 1;
}

uint32_t
row_versions_named(struct row_versions *v, uint32_t table, const char *text,
                   const char *sql)
{
    for (uint32_t i = 0; i < v->conditions.n; i++) {
        const struct row_condition_text *c = &v->conditions.at[i];
        if (c->table == table && c->sql && strcmp(c->text, text) == 0)
            return i;
    }
    vec_push(
        &v->conditions,
        ((struct row_condition_text){
            .table = table, .alias = "assay_t", .text = text, .sql = sql}));
    return (uint32_t)v->conditions.n - 1;
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

bool
row_versions_put(struct buf *sql, const struct row_versions *v, uint32_t table,
                 size_t *at)
{
    size_t n = 0;
    buf_text(sql, "(values ");
    for (; *at < v->all.n && n < AT_ONCE; ++*at) {
        if (v->all.at[*at].table != table)
            continue;
        buf_printf(sql, "%s(%zu, ", n++ ? ", " : "", *at);
        watched_put_literal(sql, v->all.at[*at].values);
        buf_text(sql, "::jsonb)");
    }
    buf_text(sql, ") assay_x(assay_n, assay_j)");
    return n > 0;
}

/* The version that a row of an answer is about; v->all.n if there is none. */
static size_t
version_of(const struct row_versions *v, const struct result_rows *rows,
           size_t i)
{
    const size_t n = strtoul(result_rows_get(rows, i, 0), NULL, 10);
    return n < v->all.n ? n : v->all.n;
}

void
row_versions_put_plain(struct buf *sql, const char *value)
{
    buf_printf(sql,
               "case when jsonb_typeof(%s) in ('string', 'null') or %s::text ~ "
               "'^-?[0-9]{1,18}$' then %s else to_jsonb(%s #>> '{}') end",
               value, value, value, value);
}

static void
put_key(struct buf *sql, const struct watched_table *t)
{
    if (!t->keys.n) {
        buf_text(sql, "null");
        return;
    }
    buf_text(sql, t->keys.n > 1 ? "jsonb_build_array(" : "(");
    for (size_t i = 0; i < t->keys.n; i++) {
        struct buf value = {0};
        buf_text(&value, "(assay_j -> ");
        watched_put_literal(&value, t->keys.at[i]);
        buf_char(&value, ')');
        buf_text(sql, i ? ", " : "");
        row_versions_put_plain(sql, value.at);
        buf_free(&value);
    }
    buf_char(sql, ')');
}

bool
row_versions_take_values(struct row_versions *v, const char *sql)
{
    struct result_rows rows = {0};
    const bool ok =
        v->connection->driver->query(v->connection, sql, &rows) == OUTCOME_OK;
    for (size_t i = 0; ok && i < rows.n; i++) {
        const size_t n = version_of(v, &rows, i);
        if (n == v->all.n)
            continue;
        const char *key = result_rows_get(&rows, i, 1);
        const char *shown = result_rows_get(&rows, i, 2);
        v->all.at[n].key = arena_copy(&v->arena, key, strlen(key));
        v->all.at[n].shown = arena_copy(&v->arena, shown, strlen(shown));
    }
    result_rows_free(&rows);
    return ok || row_versions_refuse(v, "rows could not be read back");
}

bool
row_versions_take_truth(struct row_versions *v, struct row_condition_text *c,
                        const char *sql)
{
    struct result_rows rows = {0};
    const bool ok =
        v->connection->driver->query(v->connection, sql, &rows) == OUTCOME_OK;
    for (size_t i = 0; ok && i < rows.n; i++) {
        const size_t n = version_of(v, &rows, i);
        if (n < v->all.n)
            c->holds[n] = 1;
    }
    result_rows_free(&rows);
    return ok ||
           row_versions_refuse(v, "a condition could not be evaluated again");
}

/* Keys and values of some versions. */
static bool
ask_values(struct row_versions *v, uint32_t table, const struct buf *versions)
{
    struct buf sql = {0};
    buf_text(&sql, "select assay_n, ");
    put_key(&sql, &v->watched->tables.at[table]);
    buf_text(&sql, ", coalesce((select jsonb_object_agg(k, ");
    row_versions_put_plain(&sql, "e.v");
    buf_printf(&sql, ") from jsonb_each(assay_j) e(k, v)), '{}') from %s",
               versions->at);
    const bool ok = row_versions_take_values(v, sql.at);
    buf_free(&sql);
    return ok;
}

/* For which of some versions a condition holds. */
static bool
ask_condition(struct row_versions *v, struct row_condition_text *c,
              const struct buf *versions)
{
    struct buf sql = {0};
    buf_printf(&sql,
               "select assay_n from %s, lateral jsonb_populate_record(null::%s,"
               " assay_j) as %s where (%s)",
               versions->at, v->watched->tables.at[c->table].name, c->alias,
               c->sql ? c->sql : c->text);
    const bool ok = row_versions_take_truth(v, c, sql.at);
    buf_free(&sql);
    return ok;
}

/* All that is asked about the versions of a table. */
static bool
ask_table(struct row_versions *v, uint32_t t)
{
    bool ok = true;
    for (size_t at = 0; ok && at < v->all.n;) {
        struct buf versions = {0};
        const bool some = row_versions_put(&versions, v, t, &at);
        if (some)
            ok = ask_values(v, t, &versions);
        for (size_t i = 0; ok && some && i < v->conditions.n; i++)
            if (v->conditions.at[i].table == t)
                ok = ask_condition(v, &v->conditions.at[i], &versions);
        buf_free(&versions);
    }
    return ok;
}

bool
row_versions_ask(struct row_versions *v)
{
    bool ok = true;
    for (size_t i = 0; i < v->conditions.n; i++) {
        v->conditions.at[i].holds = arena_alloc(&v->arena, v->all.n + 1);
        memset(v->conditions.at[i].holds, 0, v->all.n + 1);
    }
    for (uint32_t t = 0; ok && t < v->watched->tables.n; t++)
        ok = v->watched->dialect->versions ? row_versions_tabulate(v, t)
                                           : ask_table(v, t);
    return ok;
}

void
row_versions_free(struct row_versions *v)
{
    strings_free(&v->names);
    vec_free(&v->all);
    vec_free(&v->conditions);
    arena_free(&v->arena);
}
