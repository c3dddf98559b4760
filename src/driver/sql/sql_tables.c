/* sql_tables.c -- make and remove the tables of a run.
 *
 * Tables that this program did not make are never touched.  Its own tables have
 * a column assay_key.  The tables of a killed run are removed by the next run.
 * If a table has one of the names but no such column, the run is refused.  So
 * is one while another run has its tables in the same database: it would remove
 * them, and each would read what the other writes.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/sql/sql.h"

#include "base/limits/limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_PER_INSERT = 500 };

enum { PATIENCE = 60 }; // seconds, for tables to reach all nodes

#define CLAIM_PATIENCE 3.0 // seconds, for the end of a run that was just killed

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
    const int most = c->driver->sql->inserts_one_row ? 1 : ROWS_PER_INSERT;
    struct buf sql = {0};
    bool ok = true;
    for (uint64_t row = 0; ok && row < t->rows;) {
        buf_clear(&sql);
        buf_printf(&sql, "insert into assay_%s values ", t->name);
        for (int i = 0; i < most && row < t->rows; i++, row++) {
            buf_text(&sql, i ? ", " : "");
            add_row(&sql, t, row);
        }
        ok = sql_must(c, sql.at, NULL, err);
    }
    buf_free(&sql);
    return ok;
}

/* Whether a column can be selected from a table. */
static bool
has_column(struct connection *c, const char *table, const char *column)
{
    struct buf sql = {0};
    buf_printf(&sql, "select %s from assay_%s where 1 = 0", column, table);
    const bool has = c->driver->query(c, sql.at, NULL) == OUTCOME_OK;
    buf_free(&sql);
    return has;
}

/* Remove a table if it exists; an error if this program did not make it. */
static bool
remove_table(struct connection *c, const char *name, struct err *err)
{
    if (!has_column(c, name, "assay_key"))
        return !has_column(c, name, "1") ||
               err_set(err, ERR_IO,
                       "%s: the table assay_%s exists and was not made by this "
                       "program; rename it or test another "
                       "database",
                       c->driver->scheme, name);
    struct buf sql = {0};
    buf_printf(&sql, "drop table assay_%s", name);
    const char *hurry = c->driver->sql->lock_timeout;
    const bool ok = (!hurry || sql_must(c, hurry, NULL, err)) &&
                    sql_must(c, sql.at, NULL, err);
    buf_free(&sql);
    return ok;
}

static bool
make_table(struct connection *c, const struct table_shape *t, const char *type,
           struct err *err)
{
    if (!remove_table(c, t->name, err))
        return false;
    struct buf sql = {0};
    buf_printf(&sql,
               "create table assay_%s (assay_key bigint not null primary key",
               t->name);
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_printf(&sql, ", %s %s", t->columns[i], type);
        if (t->has_authors)
            buf_printf(&sql, ", %s_by bigint", t->columns[i]);
    }
    buf_char(&sql, ')');
    const bool ok = sql_must(c, sql.at, NULL, err);
    buf_free(&sql);
    if (ok)
        vec_push(&c->database->tables, t->name);
    return ok && fill(c, t, err);
}

/* Give the table a column that equals the key, with an index of its own. */
static bool
make_index(struct connection *c, const struct table_shape *t, struct err *err)
{
    const char *kind = c->database->index, *others = c->driver->sql->indexes;
    const bool is_gin = sql_index_is_gin(kind);
    char word[16];
    snprintf(word, sizeof word, " %s ", kind);
    if (strcmp(kind, "btree") != 0 && (!others || !strstr(others, word)))
        return err_set(err, ERR_USAGE, "%s: has no index of the kind %s",
                       c->driver->scheme, kind);
    struct buf sql = {0};
    buf_printf(&sql, "alter table assay_%s add assay_alt bigint%s; ", t->name,
               is_gin ? "[]" : "");
    buf_printf(&sql, "update assay_%s set assay_alt = %s; ", t->name,
               is_gin ? "array[assay_key]" : "assay_key");
    buf_printf(&sql, "create index assay_%s_alt on assay_%s %s%s (assay_alt)",
               t->name, t->name, others ? "using " : "", others ? kind : "");
    const bool ok = sql_run(c, sql.at, err);
    buf_free(&sql);
    return ok;
}

/* Wait until a node has the whole table. */
static bool
await(struct connection *c, const struct table_shape *t, struct err *err)
{
    struct buf sql = {0};
    buf_printf(&sql, "select count(%s) from assay_%s",
               c->database->index ? "assay_alt" : "*", t->name);
    struct result_rows rows = {0};
    bool there = false;
    const double until = time_now() + PATIENCE;
    while (!there && time_now() < until) {
        there = c->driver->query(c, sql.at, &rows) == OUTCOME_OK &&
                strtoull(result_rows_get(&rows, 0, 0), NULL, 10) == t->rows;
        if (!there)
            time_pause(0.05);
    }
    result_rows_free(&rows);
    buf_free(&sql);
    return there || err_set(err, ERR_IO,
                            "%s: the tables have not reached node %zu after "
                            "%d seconds%s%s",
                            c->driver->scheme, c->node + 1, PATIENCE,
                            c->message[0] ? ": " : "", c->message);
}

/* Keep other runs from the tables, until they are removed or the database is
 * closed.  A database that cannot say whether there are any is used. */
static bool
claim(struct database *db, size_t node, struct err *err)
{
    const char *sql = db->driver->sql->claim;
    struct connection *c;
    struct result_rows rows = {0};
    if (db->claim || !sql)
        return true;
    if (!db->driver->connect(db, 0, node, &c, err))
        return false;
    const double until = time_now() + CLAIM_PATIENCE;
    enum outcome outcome = db->driver->query(c, sql, &rows);
    while (outcome == OUTCOME_OK && *result_rows_get(&rows, 0, 0) == '0' &&
           time_now() < until) {
        time_pause(0.05);
        outcome = db->driver->query(c, sql, &rows);
    }
    const bool is_taken =
        outcome == OUTCOME_OK && *result_rows_get(&rows, 0, 0) == '0';
    result_rows_free(&rows);
    if (outcome == OUTCOME_OK && !is_taken)
        db->claim = c;
    else
        db->driver->disconnect(c);
    return !is_taken ||
           err_set(err, ERR_IO,
                   "%s: another run has its tables in this database, expected "
                   "none; wait for its end or test another database",
                   db->driver->scheme);
}

/* Make a table on the first node that accepts writes, and wait until all nodes
 * have it. */
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
                ok = claim(db, node, err) && make_table(c, t, type, err) &&
                     (!db->index || make_index(c, t, err));
                made = ok;
            } else if (pass == 1) {
                ok = await(c, t, err);
            }
            db->driver->disconnect(c);
        }
    return ok && (made || err_set(err, ERR_IO, "%s: no node accepts writes",
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
    const char *text = db->driver->sql->text;
    const char *const types[] = {[KEYS_REGISTERS] = "bigint",
                                 [KEYS_LISTS] = text ? text : "text",
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

bool
sql_unload(struct database *db, struct err *err)
{
    bool ok = true, found = !db->tables.n;
    for (size_t node = 0; ok && !found && node < db->nodes; node++) {
        struct connection *c;
        if (!db->driver->connect(db, 0, node, &c, err))
            return false;
        found = !c->is_read_only;
        for (size_t i = 0; ok && found && i < db->tables.n; i++)
            ok = remove_table(c, db->tables.at[i], err);
        db->driver->disconnect(c);
    }
    vec_clear(&db->tables);
    if (db->claim)
        db->driver->disconnect(db->claim);
    db->claim = NULL;
    return ok;
}
