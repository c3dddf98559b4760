/* sql.c -- see sql.h.
 *
 * Statements are plain text without parameters.  That is safe, because keys and
 * values are integers made by this program.  It works on every server, and the
 * server's log shows what was run.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/sql/sql.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATEMENT = 256 };

bool
sql_must(struct connection *c, const char *sql, struct result_rows *out,
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
        bool is_blank;
        const size_t n = sql_statement(text, c->driver->sql->lexis, &is_blank);
        buf_clear(&one);
        buf_add(&one, text, n);
        ok = is_blank || sql_must(c, one.at, NULL, err);
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
    const enum driver_isolation wanted =
        database_isolation(c->database, c->session);
    if (wanted == ISOLATION_UNCHANGED || !dialect->set_isolation)
        return true;
    struct buf sql = {0};
    struct result_rows rows = {0};
    enum driver_isolation got = ISOLATION_UNCHANGED;
    sql_fill(&sql, dialect->set_isolation, driver_isolation_names[wanted]);
    bool ok = sql_must(c, sql.at, NULL, err) &&
              sql_must(c, dialect->get_isolation, &rows, err);
    const char *answer = result_rows_get(&rows, 0, rows.width - 1);
    if (ok && (!driver_isolation_parse(answer, &got) || got != wanted))
        ok = err_set(err, ERR_IO, "%s: requested %s, got '%s'",
                     c->driver->scheme, driver_isolation_names[wanted], answer);
    result_rows_free(&rows);
    buf_free(&sql);
    return ok;
}

static bool
look_around(struct connection *c, struct err *err)
{
    const char *sql = c->driver->sql->is_read_only;
    struct result_rows rows = {0};
    const enum outcome outcome =
        sql ? c->driver->query(c, sql, &rows) : OUTCOME_OK;
    const bool ok = outcome == OUTCOME_OK ||
                    (outcome == OUTCOME_FAILED && c->database->nodes == 1) ||
                    err_set(err, ERR_IO, "%s: '%s' failed: %s",
                            c->driver->scheme, sql, c->message);
    c->is_read_only = result_rows_get(&rows, 0, 0)[0] == '1';
    result_rows_free(&rows);
    return ok;
}

/* Ask for the server's id of the connection where the driver does not know. */
static void
find_id(struct connection *c)
{
    struct result_rows rows = {0};
    const char *sql = c->driver->sql->own_id;
    if (!c->server_id && sql && c->driver->query(c, sql, &rows) == OUTCOME_OK)
        c->server_id = strtoull(result_rows_get(&rows, 0, 0), NULL, 10);
    result_rows_free(&rows);
}

bool
sql_prepare(struct connection *c, struct connection **out, struct err *err)
{
    const char *setup = database_setup(c->database, c->session);
    const char *use = c->database->index ? c->driver->sql->use_index : NULL;
    find_id(c);
    if (look_around(c, err) && set_isolation(c, err) &&
        (!use || sql_must(c, use, NULL, err)) &&
        (!setup || sql_run(c, setup, err))) {
        *out = c;
        return true;
    }
    c->driver->disconnect(c);
    return false;
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

/* Fail because of an answer of an unexpected form. */
static enum outcome
misunderstood(struct connection *c, const char *expected, const char *found)
{
    char message[sizeof c->message];
    snprintf(message, sizeof message, "found '%s', expected %s", found,
             expected);
    return outcome_set(c, OUTCOME_FAILED, "answer", message);
}

/* Run a query for the columns of at most one row. */
static enum outcome
select_row(struct connection *c, const char *sql, size_t columns,
           struct result_rows *rows)
{
    const enum outcome outcome = c->driver->query(c, sql, rows);
    char found[64];
    c->no_row = outcome == OUTCOME_OK && !rows->n;
    if (outcome != OUTCOME_OK || !rows->n ||
        (rows->n == 1 && rows->width == columns))
        return outcome;
    snprintf(found, sizeof found, "%zu rows of %zu columns", rows->n,
             rows->width);
    return misunderstood(c, "one row, or none, of the columns requested",
                         found);
}

/* A cell of the only row as an integer; 'otherwise' if there is none. */
static bool
take_integer(const struct result_rows *rows, size_t column, int64_t otherwise,
             int64_t *out)
{
    char *end;
    *out = otherwise;
    if (result_rows_is_null(rows, 0, column))
        return true;
    const char *text = result_rows_get(rows, 0, column);
    errno = 0;
    *out = strtoll(text, &end, 10);
    return end != text && !*end && errno == 0;
}

/* Decode a row with a value and, if there are authors, its author. */
static enum outcome
take_reading(struct connection *c, const struct result_rows *rows,
             struct driver_read *out)
{
    out->has_value = !result_rows_is_null(rows, 0, 0);
    for (size_t i = 0; i < 2; i++)
        if (!take_integer(rows, i, 0, i ? &out->author : &out->value))
            return misunderstood(c, "an integer", result_rows_get(rows, 0, i));
    return OUTCOME_OK;
}

bool
sql_index_is_gin(const char *index)
{
    return index && strcmp(index, "gin") == 0;
}

const char *
sql_find_row(const struct connection *c, uint64_t key, char out[SQL_CONDITION])
{
    assert(c->access < ACCESSES);
    assert(c->access != ACCESS_INDEX || c->database->index);
    if (c->access == ACCESS_RANGE)
        snprintf(out, SQL_CONDITION,
                 "assay_key >= %" PRIu64 " and assay_key < %" PRIu64, key,
                 key + 1);
    else if (c->access == ACCESS_INDEX && sql_index_is_gin(c->database->index))
        snprintf(out, SQL_CONDITION,
                 "assay_alt @> array[%" PRIu64 "]::bigint[]", key);
    else
        snprintf(out, SQL_CONDITION, "%s = %" PRIu64,
                 c->access == ACCESS_INDEX  ? "assay_alt"
                 : c->access == ACCESS_SCAN ? "assay_key + 0"
                                            : "assay_key",
                 key);
    return out;
}

enum outcome
sql_read(struct connection *c, uint64_t key, struct driver_read *out)
{
    char sql[STATEMENT], row[SQL_CONDITION];
    struct result_rows rows = {0};
    snprintf(sql, sizeof sql, "select v from assay_kv where %s",
             sql_find_row(c, key, row));
    enum outcome outcome = select_row(c, sql, 1, &rows);
    *out = (struct driver_read){0};
    if (outcome == OUTCOME_OK)
        outcome = take_reading(c, &rows, out);
    result_rows_free(&rows);
    return outcome;
}

/* Run a statement that writes one row. */
static enum outcome
write_row(struct connection *c, const char *sql, bool *is_missing)
{
    c->changed = 0;
    const enum outcome outcome = c->driver->query(c, sql, NULL);
    *is_missing = outcome == OUTCOME_OK && c->changed == 0;
    return outcome;
}

enum outcome
sql_write(struct connection *c, uint64_t key, int64_t value, bool *is_missing)
{
    char sql[STATEMENT], row[SQL_CONDITION];
    snprintf(sql, sizeof sql, "update assay_kv set v = %" PRId64 " where %s",
             value, sql_find_row(c, key, row));
    return write_row(c, sql, is_missing);
}

enum outcome
sql_append(struct connection *c, uint64_t key, int64_t element,
           bool *is_missing)
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
    char row[SQL_CONDITION];
    buf_printf(&sql, " where %s", sql_find_row(c, key, row));
    const enum outcome outcome = write_row(c, sql.at, is_missing);
    buf_free(&sql);
    return outcome;
}

bool
sql_int_list_parse(const char *text, int_vec *out)
{
    const bool is_array = *text == '{';
    vec_clear(out);
    if (!*text || strcmp(text, "{}") == 0)
        return true;
    if (is_array || *text == ',')
        text++;
    for (;;) {
        char *end;
        errno = 0;
        const long long element = strtoll(text, &end, 10);
        if (end == text || errno != 0)
            return false;
        vec_push(out, element);
        if (*end != ',')
            return strcmp(end, is_array ? "}" : "") == 0;
        text = end + 1;
    }
}

enum outcome
sql_read_list(struct connection *c, uint64_t key, int_vec *out)
{
    char sql[STATEMENT], row[SQL_CONDITION];
    struct result_rows rows = {0};
    snprintf(sql, sizeof sql, "select v from assay_list where %s",
             sql_find_row(c, key, row));
    enum outcome outcome = select_row(c, sql, 1, &rows);
    vec_clear(out);
    if (outcome == OUTCOME_OK &&
        !sql_int_list_parse(result_rows_get(&rows, 0, 0), out))
        outcome = misunderstood(c, "a list of integers",
                                result_rows_get(&rows, 0, 0));
    result_rows_free(&rows);
    return outcome;
}

/* --- cells -----------------------------------------------------------------*/

enum outcome
sql_read_cell(struct connection *c, const struct cell_place *at,
              struct driver_read *out)
{
    const char *column = at->table->columns[at->column];
    struct buf sql = {0};
    struct result_rows rows = {0};
    buf_printf(&sql, "select %s", column);
    if (at->table->has_authors)
        buf_printf(&sql, ", %s_by", column);
    buf_printf(&sql, " from assay_%s where assay_key = %" PRIu64,
               at->table->name, at->row);
    enum outcome outcome =
        select_row(c, sql.at, at->table->has_authors ? 2 : 1, &rows);
    *out = (struct driver_read){0};
    if (outcome == OUTCOME_OK)
        outcome = take_reading(c, &rows, out);
    result_rows_free(&rows);
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

/* Append an insert of a row, up to the end of its values. */
static void
insert(struct buf *sql, const struct cell_place *at, int64_t value,
       int64_t author)
{
    const char *column = at->table->columns[at->column];
    buf_printf(sql, "insert into assay_%s (assay_key, %s", at->table->name,
               column);
    if (at->table->has_authors)
        buf_printf(sql, ", %s_by", column);
    buf_printf(sql, ") values (%" PRIu64 ", %" PRId64, at->row, value);
    if (at->table->has_authors)
        buf_printf(sql, ", %" PRId64, author);
    buf_char(sql, ')');
}

static void
update(struct buf *sql, const struct cell_place *at, int64_t value,
       int64_t author)
{
    buf_printf(sql, "update assay_%s set ", at->table->name);
    assign(sql, at, value, author);
    buf_printf(sql, " where assay_key = %" PRIu64, at->row);
}

/* Write a row that may not exist yet, in one statement. */
static void
insert_or_assign(struct buf *sql, const struct dialect *dialect,
                 const struct cell_place *at, int64_t value, int64_t author)
{
    if (!dialect->upsert)
        buf_text(sql, "update or ");
    insert(sql, at, value, author);
    if (dialect->upsert) {
        buf_printf(sql, " %s ", dialect->upsert);
        assign(sql, at, value, author);
    } else {
        buf_text(sql, " matching (assay_key)");
    }
}

enum outcome
sql_write_cell(struct connection *c, const struct cell_place *at, int64_t value,
               int64_t author, bool *is_missing)
{
    const struct dialect *dialect = c->driver->sql;
    const bool may_be_new = at->row >= at->table->rows;
    const bool is_one = dialect->upsert || dialect->has_matching;
    struct buf sql = {0};
    if (may_be_new && is_one)
        insert_or_assign(&sql, dialect, at, value, author);
    else
        update(&sql, at, value, author);
    enum outcome outcome = write_row(c, sql.at, is_missing);
    if (may_be_new && !is_one && outcome == OUTCOME_OK && *is_missing) {
        buf_clear(&sql);
        insert(&sql, at, value, author);
        outcome = write_row(c, sql.at, is_missing);
    }
    buf_free(&sql);
    return outcome;
}
