/* row_setup.c -- see row_setup.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_setup.h"

#include <string.h>

// Other databases with PostgreSQL's protocol name versions of rows otherwise,
// and before release 13 partitioned tables have no triggers before inserts.
static const char able_query[] =
    "select 1 from pg_language where lanname = 'plpgsql' and "
    "current_setting('server_version_num')::int >= 130000 and "
    "version() like 'PostgreSQL %' and version() not like '%-YB-%'";

bool
row_setup_records(struct database *db)
{
    if (strcmp(db->driver->scheme, "postgresql") != 0 || db->nodes != 1 ||
        !row_statement_load())
        return false;
    struct connection *c;
    struct err err = {0};
    struct result_rows rows = {0};
    if (!db->driver->connect(db, 0, 0, &c, &err))
        return false;
    const bool is_able =
        c->driver->query(c, able_query, &rows) == OUTCOME_OK && rows.n;
    result_rows_free(&rows);
    c->driver->disconnect(c);
    return is_able;
}

/* Tables of users are never touched. */
static bool
expect_none(struct connection *c, const char *setup, struct err *err)
{
    struct arena arena = {0};
    text_vec names = {0};
    bool ok = true;
    if (row_statement_created(setup, &arena, &names))
        for (size_t i = 0; ok && i < names.n; i++) {
            struct buf sql = {0};
            struct result_rows rows = {0};
            buf_text(&sql, "select to_regclass(");
            watched_put_literal(&sql, names.at[i]);
            buf_text(&sql, ")");
            if (c->driver->query(c, sql.at, &rows) == OUTCOME_OK && rows.n &&
                !result_rows_is_null(&rows, 0, 0))
                ok = err_set(err, ERR_USAGE,
                             "the database already has a table '%s', "
                             "expected none",
                             result_rows_get(&rows, 0, 0));
            result_rows_free(&rows);
            buf_free(&sql);
        }
    vec_free(&names);
    arena_free(&arena);
    return ok;
}

static bool
run_setups(const struct spec *s, struct connection *c, struct err *err)
{
    for (size_t i = 0; i < s->setups.n; i++)
        if (c->driver->query(c, s->setups.at[i].sql, NULL) != OUTCOME_OK) {
            char quoted[ERR_QUOTE_ROOM], said[200];
            const char *sql = s->setups.at[i].sql;
            sql += strspn(sql, " \t\r\n");
            return err_set(
                err, ERR_IO, "the setup failed at '%s': %s",
                err_quote(quoted, sizeof quoted, sql, strlen(sql)),
                err_quote(said, sizeof said, c->message, strlen(c->message)));
        }
    return true;
}

static void
tear_down(const struct spec *s, struct connection *c,
          const struct watched *before)
{
    struct watched left;
    struct err err = {0};
    if (*s->teardown.sql)
        c->driver->query(c, s->teardown.sql, NULL);
    if (!watched_read(c, before, &left, &err))
        return;
    for (size_t i = left.tables.n; i--;) {
        struct buf sql = {0};
        buf_printf(&sql, "drop table if exists %s cascade",
                   left.tables.at[i].name);
        c->driver->query(c, sql.at, NULL);
        buf_free(&sql);
    }
    watched_free(&left);
}

bool
row_setup_read(const struct spec *s, struct database *db, struct watched *out,
               struct err *err)
{
    struct connection *c;
    struct watched before;
    if (!db->driver->connect(db, 0, 0, &c, err))
        return false;
    bool ok = watched_read(c, NULL, &before, err);
    if (ok) {
        for (size_t i = 0; ok && i < s->setups.n; i++)
            ok = expect_none(c, s->setups.at[i].sql, err);
        if (ok) {
            ok = run_setups(s, c, err) && watched_read(c, &before, out, err);
            tear_down(s, c, &before);
        }
        watched_free(&before);
    }
    c->driver->disconnect(c);
    return ok;
}
