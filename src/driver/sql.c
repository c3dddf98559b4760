/* sql.c -- see sql.h.
 *
 * Statements are plain text without parameters: keys and values are integers
 * that this program made, every server takes them, and the server's own log
 * then shows what was run.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/sql.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STATEMENT = 160, ROWS_PER_INSERT = 500 };

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

/* --- tables
 * -----------------------------------------------------------------*/

static bool
fill(struct connection *c, const char *table, uint64_t keys, struct err *err)
{
    struct buf sql = {0};
    bool ok = true;
    for (uint64_t k = 0; ok && k < keys;) {
        buf_clear(&sql);
        buf_printf(&sql, "insert into %s (k, v) values ", table);
        for (int i = 0; i < ROWS_PER_INSERT && k < keys; i++, k++)
            buf_printf(&sql, "%s(%" PRIu64 ", null)", i ? ", " : "", k);
        ok = sql_must(c, sql.at, NULL, err);
    }
    buf_free(&sql);
    return ok;
}

static bool
make_table(struct connection *c, const char *table, const char *type,
           uint64_t keys, struct err *err)
{
    char sql[STATEMENT];
    snprintf(sql, sizeof sql, "drop table if exists %s", table);
    if (!sql_must(c, sql, NULL, err))
        return false;
    snprintf(sql, sizeof sql,
             "create table %s (k bigint not null primary key, v %s)", table,
             type);
    return sql_must(c, sql, NULL, err) && fill(c, table, keys, err);
}

/* Wait until a node has all of it. */
static bool
await(struct connection *c, const char *table, uint64_t keys, struct err *err)
{
    char sql[STATEMENT];
    snprintf(sql, sizeof sql, "select count(*) from %s where v is null", table);
    struct rows rows = {0};
    bool there = false;
    for (int tries = 0; !there && tries < 300; tries++) {
        if (tries)
            nanosleep(&(struct timespec){0, 50 * 1000 * 1000}, NULL);
        there = c->driver->query(c, sql, &rows) == OUTCOME_OK && rows.n &&
                strtoull(rows_get(&rows, 0, 0), NULL, 10) == keys;
    }
    rows_free(&rows);
    return there || err_set(err, ERR_IO,
                            "%s: the tables have not reached node %zu after "
                            "15 seconds",
                            c->driver->scheme, c->node + 1);
}

bool
sql_load(struct database *db, uint64_t keys, bool lists, struct err *err)
{
    const char *table = lists ? "assay_list" : "assay_kv";
    bool ok = true, made = false;
    // The first node that takes writes makes the tables.
    for (size_t pass = 0; ok && pass < 2; pass++)
        for (size_t node = 0; ok && node < db->nodes; node++) {
            struct connection *c;
            if (!db->driver->connect(db, 0, node, &c, err))
                return false;
            if (pass == 0 && !made && !c->is_read_only) {
                ok = make_table(c, table, lists ? "text" : "bigint", keys, err);
                made = ok;
            } else if (pass == 1) {
                ok = await(c, table, keys, err);
            }
            db->driver->disconnect(c);
        }
    return ok && (made || err_set(err, ERR_IO, "%s: no node takes writes",
                                  db->driver->scheme));
}

/* --- transactions -------------------------------------------------------- */

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
    // '||' is a logical or in MariaDB, and SQLite 3.40 has no concat().
    const bool has_concat = strcmp(c->driver->scheme, "sqlite") != 0;
    char sql[STATEMENT];
    snprintf(sql, sizeof sql,
             "update assay_list set v = %scoalesce(v, '')%s',%" PRId64
             "'%s where k = %" PRIu64,
             has_concat ? "concat(" : "", has_concat ? ", " : " || ", element,
             has_concat ? ")" : "", key);
    return c->driver->query(c, sql, NULL);
}

void
int_list_parse(const char *text, int_vec *out)
{
    vec_clear(out);
    while (*text) {
        char *end;
        if (*text == ',')
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
