/* integrity.c -- see integrity.h.
 *
 * The statements are those of the dialect.  They run in a transaction that is
 * rolled back, so an extension that is needed for them does not stay.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/integrity.h"

#include "driver/sql/sql.h"

#include <stdio.h>
#include <string.h>

#define DAMAGED SERVER_ERROR_DAMAGE

/* Count a check that failed because data are damaged; all other reasons are
 * about the check. */
static void
count_failure(const struct connection *c, struct run_findings *out)
{
    if (server_error_of(c) == DAMAGED)
        findings_count(out, c);
}

/* The answer of a check has to end each row with "ok", in any case. */
static void
expect_ok(const struct result_rows *rows, const char *sql,
          struct run_findings *out)
{
    for (size_t i = 0; i < rows->n && rows->width; i++) {
        const char *said = result_rows_get(rows, i, rows->width - 1);
        if (strcmp(said, "ok") != 0 && strcmp(said, "OK") != 0) {
            findings_add(out, DAMAGED, "check", said, sql);
            return;
        }
    }
}

static void
run_check(struct connection *c, const char *table, struct run_findings *out)
{
    const struct dialect *d = c->driver->sql;
    struct result_rows rows = {0};
    struct buf sql = {0};
    sql_fill(&sql, d->check, table);
    if (c->driver->query(c, sql.at, &rows) != OUTCOME_OK)
        count_failure(c, out);
    else if (d->check_says_ok)
        expect_ok(&rows, sql.at, out);
    result_rows_free(&rows);
    buf_free(&sql);
}

/* The server's own check of all tables. */
static void
run_checks(struct connection *c, struct run_findings *out)
{
    const struct dialect *d = c->driver->sql;
    const struct database *db = c->database;
    if (!d->check || c->driver->begin(c) != OUTCOME_OK)
        return;
    if (!d->before_check ||
        c->driver->query(c, d->before_check, NULL) == OUTCOME_OK)
        for (size_t i = 0; i < db->tables.n; i++)
            run_check(c, db->tables.at[i], out);
    c->driver->abort(c);
}

/* How many rows a table has and the sum of their keys, by a scan or by the
 * index. */
static bool
count_keys(struct connection *c, const char *setting, const char *table,
           struct buf *out)
{
    struct result_rows rows = {0};
    struct buf sql = {0};
    // A condition on the key that all rows satisfy, so that an index serves it.
    buf_printf(&sql,
               "select count(*), sum(assay_key) from assay_%s where "
               "assay_key >= -9223372036854775807",
               table);
    const bool ok = c->driver->query(c, setting, NULL) == OUTCOME_OK &&
                    c->driver->query(c, sql.at, &rows) == OUTCOME_OK;
    buf_clear(out);
    if (ok)
        buf_printf(out, "%s rows with the sum of keys %s",
                   result_rows_get(&rows, 0, 0), result_rows_get(&rows, 0, 1));
    result_rows_free(&rows);
    buf_free(&sql);
    return ok;
}

static void
compare_scans(struct connection *c, struct run_findings *out)
{
    const struct dialect *d = c->driver->sql;
    const struct database *db = c->database;
    struct buf scan = {0}, search = {0};
    for (size_t i = 0; d->scan_only && i < db->tables.n; i++) {
        const char *table = db->tables.at[i];
        char message[256];
        if (!count_keys(c, d->scan_only, table, &scan) ||
            !count_keys(c, d->index_only, table, &search) ||
            strcmp(scan.at, search.at) == 0)
            continue;
        snprintf(message, sizeof message,
                 "a scan finds %s, the index of the key finds %s", scan.at,
                 search.at);
        findings_add(out, DAMAGED, "scan", message, table);
    }
    buf_free(&scan);
    buf_free(&search);
}

void
integrity_check(struct database *db, struct run_findings *out)
{
    struct connection *c;
    struct err err = {0};
    if (!db->driver->sql || !db->driver->query || !db->tables.n ||
        !db->driver->connect(db, 0, 0, &c, &err))
        return;
    run_checks(c, out);
    compare_scans(c, out);
    db->driver->disconnect(c);
}
