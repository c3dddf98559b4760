/* sql.c -- see sql.h.
 *
 * Statements are plain text without parameters: keys and values are integers
 * that this program made, every server takes them, and the server's own log
 * then shows what was run.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/sql.h"

#include "base/limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATEMENT = 256, ROWS_PER_INSERT = 500 };

enum { PATIENCE = 60 }; // seconds, for tables to reach all nodes

bool
sql_must(struct connection *c, const char *sql, struct rows *out,
         struct err *err)
{
    if (c->driver->query(c, sql, out) == OUTCOME_OK)
        return true;
    return err_set(err, ERR_IO, "%s: '%s' failed: %s (%s)", c->driver->scheme,
                   sql, c->message, c->code);
}

bool
sql_run(struct connection *c, const char *text, struct err *err)
{
    struct buf one = {0};
    bool ok = true;
    while (ok && *text) {
        const size_t n = strcspn(text, ";");
        buf_clear(&one);
        buf_add(&one, text, n);
        if (strspn(one.at, " \t\n") < n)
            ok = sql_must(c, one.at, NULL, err);
        text += n + (text[n] == ';');
    }
    buf_free(&one);
    return ok;
}

void
sql_fill(struct buf *out, const char *pattern, const char *text)
{
    for (;;) {
        const char *gap = strstr(pattern, "%s");
        if (!gap)
            break;
        buf_add(out, pattern, (size_t)(gap - pattern));
        buf_text(out, text);
        pattern = gap + 2;
    }
    buf_text(out, pattern);
}

/* --- connections -----------------------------------------------------------*/

static bool
set_isolation(struct connection *c, struct err *err)
{
    const struct dialect *dialect = c->driver->sql;
    const enum isolation wanted = c->database->isolation;
    if (wanted == ISOLATION_UNCHANGED || !dialect->set_isolation)
        return true;
    struct buf sql = {0};
    struct rows rows = {0};
    enum isolation got = ISOLATION_UNCHANGED;
    sql_fill(&sql, dialect->set_isolation, isolation_names[wanted]);
    bool ok = sql_must(c, sql.at, NULL, err) &&
              sql_must(c, dialect->get_isolation, &rows, err);
    const char *answer = ok && rows.n ? rows_get(&rows, 0, rows.width - 1) : "";
    if (ok && (!isolation_parse(answer, &got) || got != wanted))
        ok = err_set(err, ERR_IO, "%s: asked for %s, and got '%s'",
                     c->driver->scheme, isolation_names[wanted], answer);
    rows_free(&rows);
    buf_free(&sql);
    return ok;
}

static bool
look_around(struct connection *c, struct err *err)
{
    const char *sql = c->driver->sql->is_read_only;
    struct rows rows = {0};
    const bool ok = !sql || sql_must(c, sql, &rows, err);
    c->is_read_only = rows.n && rows_get(&rows, 0, 0)[0] == '1';
    rows_free(&rows);
    return ok;
}

bool
sql_prepare(struct connection *c, struct connection **out, struct err *err)
{
    const char *setup = c->database->setup;
    if (look_around(c, err) && set_isolation(c, err) &&
        (!setup || sql_run(c, setup, err))) {
        *out = c;
        return true;
    }
    c->driver->disconnect(c);
    return false;
}

/* --- tables ----------------------------------------------------------------*/

/* One row of an insert: its key and the initial values. */
static void
add_row(struct buf *sql, const struct table_shape *t, uint64_t row)
{
    buf_printf(sql, "(%" PRIu64, row);
    for (size_t i = 0; i < t->n_columns; i++) {
        if (t->initial)
            buf_printf(sql, ", %" PRId64, t->initial[i]);
        else
            buf_text(sql, ", null");
        if (t->has_authors)
            buf_text(sql, ", 0");
    }
    buf_char(sql, ')');
}

static bool
fill(struct connection *c, const struct table_shape *t, struct err *err)
{
    struct buf sql = {0};
    bool ok = true;
    for (uint64_t row = 0; ok && row < t->rows;) {
        buf_clear(&sql);
        buf_printf(&sql, "insert into assay_%s values ", t->name);
        for (int i = 0; i < ROWS_PER_INSERT && row < t->rows; i++, row++) {
            buf_text(&sql, i ? ", " : "");
            add_row(&sql, t, row);
        }
        ok = sql_must(c, sql.at, NULL, err);
    }
    buf_free(&sql);
    return ok;
}

static bool
make_table(struct connection *c, const struct table_shape *t, const char *type,
           struct err *err)
{
    struct buf sql = {0};
    buf_printf(&sql, "drop table if exists assay_%s", t->name);
    bool ok = sql_must(c, sql.at, NULL, err);
    buf_clear(&sql);
    buf_printf(&sql, "create table assay_%s (k bigint not null primary key",
               t->name);
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_printf(&sql, ", %s %s", t->columns[i], type);
        if (t->has_authors)
            buf_printf(&sql, ", %s_by bigint", t->columns[i]);
    }
    buf_char(&sql, ')');
    ok = ok && sql_must(c, sql.at, NULL, err);
    buf_free(&sql);
    return ok && fill(c, t, err);
}

/* Wait until a node has all of it. */
static bool
await(struct connection *c, const struct table_shape *t, struct err *err)
{
    char sql[STATEMENT];
    snprintf(sql, sizeof sql, "select count(*) from assay_%s", t->name);
    struct rows rows = {0};
    bool there = false;
    const double until = time_now() + PATIENCE;
    while (!there && time_now() < until) {
        there = c->driver->query(c, sql, &rows) == OUTCOME_OK && rows.n &&
                strtoull(rows_get(&rows, 0, 0), NULL, 10) == t->rows;
        if (!there)
            time_pause(0.05);
    }
    rows_free(&rows);
    return there || err_set(err, ERR_IO,
                            "%s: the tables have not reached node %zu after "
                            "%d seconds",
                            c->driver->scheme, c->node + 1, PATIENCE);
}

/* Make a table on the first node that takes writes, and see it arrive on all
 * of them. */
static bool
spread_table(struct database *db, const struct table_shape *t, const char *type,
             struct err *err)
{
    bool ok = true, made = false;
    for (size_t pass = 0; ok && pass < 2; pass++)
        for (size_t node = 0; ok && node < db->nodes; node++) {
            struct connection *c;
            if (!db->driver->connect(db, 0, node, &c, err))
                return false;
            if (pass == 0 && !made && !c->is_read_only) {
                ok = make_table(c, t, type, err);
                made = ok;
            } else if (pass == 1) {
                ok = await(c, t, err);
            }
            db->driver->disconnect(c);
        }
    return ok && (made || err_set(err, ERR_IO, "%s: no node takes writes",
                                  db->driver->scheme));
}

bool
sql_load(struct database *db, uint64_t keys, enum key_kind kind,
         struct err *err)
{
    static const char *const columns[] = {"v"};
    const struct table_shape t = {.name =
                                      kind == KEYS_REGISTERS ? "kv" : "list",
                                  .columns = columns,
                                  .n_columns = 1,
                                  .rows = keys};
    const char *const types[] = {[KEYS_REGISTERS] = "bigint",
                                 [KEYS_LISTS] = "text",
                                 [KEYS_ARRAYS] = db->driver->sql->array};
    if (!types[kind])
        return err_set(err, ERR_USAGE,
                       "%s: has no arrays; keep the lists as text",
                       db->driver->scheme);
    db->keys = kind;
    return spread_table(db, &t, types[kind], err);
}

bool
sql_load_table(struct database *db, const struct table_shape *table,
               struct err *err)
{
    return spread_table(db, table, "bigint", err);
}

/* --- transactions ----------------------------------------------------------*/

enum outcome
sql_begin(struct connection *c)
{
    return c->driver->query(c, "begin", NULL);
}

enum outcome
sql_commit(struct connection *c)
{
    return c->driver->query(c, "commit", NULL);
}

enum outcome
sql_abort(struct connection *c)
{
    return c->driver->query(c, "rollback", NULL);
}

/* Select the value of a key; a row that is missing counts as refused. */
static enum outcome
select_value(struct connection *c, const char *table, uint64_t key,
             struct rows *rows)
{
    char sql[STATEMENT];
    snprintf(sql, sizeof sql, "select v from %s where k = %" PRIu64, table,
             key);
    const enum outcome outcome = c->driver->query(c, sql, rows);
    if (outcome == OUTCOME_OK && (rows->n != 1 || rows->width != 1))
        return outcome_set(c, OUTCOME_FAILED, "no row",
                           "a key's row is missing");
    return outcome;
}

enum outcome
sql_read(struct connection *c, uint64_t key, struct reading *out)
{
    struct rows rows = {0};
    const enum outcome outcome = select_value(c, "assay_kv", key, &rows);
    *out = (struct reading){0};
    if (outcome == OUTCOME_OK && !rows.cells.at[0].is_null) {
        out->has_value = true;
        out->value = strtoll(rows_get(&rows, 0, 0), NULL, 10);
    }
    rows_free(&rows);
    return outcome;
}

enum outcome
sql_write(struct connection *c, uint64_t key, int64_t value)
{
    char sql[STATEMENT];
    snprintf(sql, sizeof sql,
             "update assay_kv set v = %" PRId64 " where k = %" PRIu64, value,
             key);
    return c->driver->query(c, sql, NULL);
}

enum outcome
sql_append(struct connection *c, uint64_t key, int64_t element)
{
    const struct dialect *dialect = c->driver->sql;
    struct buf sql = {0};
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, element);
    buf_text(&sql, "update assay_list set v = ");
    sql_fill(&sql,
             c->database->keys == KEYS_ARRAYS ? dialect->append_to_array
                                              : dialect->append,
             text);
    buf_printf(&sql, " where k = %" PRIu64, key);
    const enum outcome outcome = c->driver->query(c, sql.at, NULL);
    buf_free(&sql);
    return outcome;
}

void
int_list_parse(const char *text, int_vec *out)
{
    vec_clear(out);
    while (*text) {
        char *end;
        if (*text == ',' || *text == '{')
            text++;
        const long long element = strtoll(text, &end, 10);
        if (end == text)
            break;
        vec_push(out, element);
        text = end;
    }
}

enum outcome
sql_read_list(struct connection *c, uint64_t key, int_vec *out)
{
    struct rows rows = {0};
    const enum outcome outcome = select_value(c, "assay_list", key, &rows);
    vec_clear(out);
    if (outcome == OUTCOME_OK)
        int_list_parse(rows_get(&rows, 0, 0), out);
    rows_free(&rows);
    return outcome;
}

/* --- cells -----------------------------------------------------------------*/

enum outcome
sql_read_cell(struct connection *c, const struct cell_place *at,
              struct reading *out)
{
    const char *column = at->table->columns[at->column];
    struct buf sql = {0};
    struct rows rows = {0};
    buf_printf(&sql, "select %s", column);
    if (at->table->has_authors)
        buf_printf(&sql, ", %s_by", column);
    buf_printf(&sql, " from assay_%s where k = %" PRIu64, at->table->name,
               at->row);
    const enum outcome outcome = c->driver->query(c, sql.at, &rows);
    *out = (struct reading){0};
    if (outcome == OUTCOME_OK && rows.n && !rows.cells.at[0].is_null) {
        out->has_value = true;
        out->value = strtoll(rows_get(&rows, 0, 0), NULL, 10);
        if (at->table->has_authors)
            out->author = strtoll(rows_get(&rows, 0, 1), NULL, 10);
    }
    rows_free(&rows);
    buf_free(&sql);
    return outcome;
}

static void
assign(struct buf *sql, const struct cell_place *at, int64_t value,
       int64_t author)
{
    const char *column = at->table->columns[at->column];
    buf_printf(sql, "%s = %" PRId64, column, value);
    if (at->table->has_authors)
        buf_printf(sql, ", %s_by = %" PRId64, column, author);
}

/* Rows that are not there from the beginning may have to be made. */
static void
insert_or_assign(struct buf *sql, const struct connection *c,
                 const struct cell_place *at, int64_t value, int64_t author)
{
    const char *column = at->table->columns[at->column];
    buf_printf(sql, "insert into assay_%s (k, %s", at->table->name, column);
    if (at->table->has_authors)
        buf_printf(sql, ", %s_by", column);
    buf_printf(sql, ") values (%" PRIu64 ", %" PRId64, at->row, value);
    if (at->table->has_authors)
        buf_printf(sql, ", %" PRId64, author);
    buf_printf(sql, ") %s ", c->driver->sql->upsert);
    assign(sql, at, value, author);
}

enum outcome
sql_write_cell(struct connection *c, const struct cell_place *at, int64_t value,
               int64_t author)
{
    struct buf sql = {0};
    if (at->row < at->table->rows) {
        buf_printf(&sql, "update assay_%s set ", at->table->name);
        assign(&sql, at, value, author);
        buf_printf(&sql, " where k = %" PRIu64, at->row);
    } else {
        insert_or_assign(&sql, c, at, value, author);
    }
    const enum outcome outcome = c->driver->query(c, sql.at, NULL);
    buf_free(&sql);
    return outcome;
}
