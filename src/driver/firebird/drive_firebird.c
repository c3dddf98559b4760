/* drive_firebird.c -- firebird:PATH, Firebird's engine in this process.
 *
 * Without a path the database is a file in a temporary directory that is
 * removed at the end.  Isolation levels have other names here: read committed
 * sees record versions, repeatable read is SNAPSHOT, and serializable is
 * SNAPSHOT TABLE STABILITY, as Firebird's own drivers have it.
 *
 *     firebird:test.fdb?wait=5             seconds to wait for a lock (1)
 *
 * Firebird has no statements outside of transactions: a statement that comes
 * without 'begin' gets one of its own, which is committed.  A lock is
 * waited for.  With ?wait=0 runs are much faster, but what happens to a
 * transaction after it has waited is not tested.
 *
 * Values are asked for as text; Firebird converts them.
 *
 * SPDX-License-Identifier: MIT */
#include "driver/firebird/firebird.h"

#include "base/quantity.h"
#include "driver/drivers.h"
#include "driver/scratch.h"
#include "driver/sql/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const calls[] = {FIREBIRD_CALLS(LIBRARY_NAME)};
struct firebird_library firebird;

struct fire_place {
    struct scratch file;
    long wait; // seconds for a lock
};

/* --- errors ----------------------------------------------------------------*/

bool
firebird_has_failed(const ISC_STATUS *status)
{
    return status[0] == 1 && status[1];
}

/* All messages of a status, in one line. */
static void
show_status(const ISC_STATUS *status, char *out, size_t room)
{
    char line[256];
    size_t n = 0;
    out[0] = 0;
    while (n < room && firebird.fb_interpret(line, sizeof line, &status))
        n += (size_t)snprintf(out + n, room - n, "%s%s", n ? "; " : "", line);
}

static bool
fail(const ISC_STATUS *status, const char *what, const char *path,
     struct err *err)
{
    char message[256];
    show_status(status, message, sizeof message);
    err_set(err, ERR_IO, "cannot %s: %s", what, message);
    return err_in_file(err, path);
}

/* SQLSTATE tells what may be tried again: class 40. */
enum outcome
firebird_note_failure(struct firebird_link *c)
{
    char state[8], message[256];
    firebird.fb_sqlstate(state, c->status);
    show_status(c->status, message, sizeof message);
    return outcome_set(&c->base,
                       strncmp(state, "40", 2) == 0 ? OUTCOME_ABORTED
                                                    : OUTCOME_FAILED,
                       state, message);
}

/* --- opening ---------------------------------------------------------------*/

/* SYSDBA needs no password in the embedded engine. */
static bool
attach(const char *path, isc_db_handle *out, struct err *err)
{
    static const char parameters[] = {
        isc_dpb_version1, isc_dpb_user_name, 6, 'S', 'Y', 'S', 'D', 'B', 'A'};
    ISC_STATUS_ARRAY status;
    *out = 0;
    firebird.isc_attach_database(status, 0, path, out, sizeof parameters,
                                 parameters);
    return !firebird_has_failed(status) || fail(status, "open", path, err);
}

static bool
create(const char *path, struct err *err)
{
    ISC_STATUS_ARRAY status, ignored;
    isc_db_handle db = 0;
    isc_tr_handle txn = 0;
    struct buf sql = {0};
    buf_text(&sql, "create database '");
    for (const char *p = path; *p; p++) {
        if (*p == '\'')
            buf_char(&sql, '\'');
        buf_char(&sql, *p);
    }
    buf_text(&sql, "' user 'SYSDBA'");
    firebird.isc_dsql_execute_immediate(status, &db, &txn, 0, sql.at,
                                        SQL_DIALECT, NULL);
    buf_free(&sql);
    if (db)
        firebird.isc_detach_database(ignored, &db);
    return !firebird_has_failed(status) || fail(status, "create", path, err);
}

static void
close_firebird(struct database *db)
{
    static const char *const suffixes[] = {NULL};
    struct fire_place *place = db->self;
    scratch_close(&place->file, suffixes);
    mem_free(place);
    db->self = NULL;
}

static void
disconnect(struct connection *base)
{
    struct firebird_link *c = (struct firebird_link *)base;
    if (c->txn)
        firebird.isc_rollback_transaction(c->status, &c->txn);
    firebird.isc_detach_database(c->status, &c->db);
    mem_free(c);
}

static bool
connect_firebird(struct database *db, uint32_t session, size_t node,
                 struct connection **out, struct err *err)
{
    const struct fire_place *place = db->self;
    struct firebird_link *c = mem_calloc(1, sizeof *c);
    c->base = (struct connection){.driver = &driver_firebird,
                                  .database = db,
                                  .session = session,
                                  .node = node};
    if (attach(place->file.path, &c->db, err))
        return sql_prepare(&c->base, out, err);
    mem_free(c);
    return false;
}

/* Say which engine it is. */
static bool
name_engine(struct database *db, struct err *err)
{
    struct connection *c;
    struct result_rows rows = {0};
    if (!connect_firebird(db, 0, 0, &c, err))
        return false;
    const bool ok = sql_must(c,
                             "select rdb$get_context('SYSTEM', "
                             "'ENGINE_VERSION') from rdb$database",
                             &rows, err);
    snprintf(db->note, sizeof db->note, "Firebird %s, embedded",
             result_rows_get(&rows, 0, 0));
    result_rows_free(&rows);
    disconnect(c);
    return ok;
}

static bool
open_firebird(struct database *db, struct err *err)
{
    static const char *const known[] = {"wait", NULL};
    const char *wait = url_get(&db->url, "wait", "1");
    double seconds;
    if (!url_expect(&db->url, known, err) ||
        !library_load("libfbclient.so.2", calls, LIBRARY_LENGTH(calls),
                      &firebird, err))
        return false;
    if (db->isolation == ISOLATION_READ_UNCOMMITTED)
        return err_set(err, ERR_USAGE, "firebird: has no read uncommitted");
    if (!quantity_parse(wait, strlen(wait), QUANTITY_SECONDS, &seconds) ||
        seconds > 100 || seconds != (double)(long)seconds)
        return err_set(err, ERR_USAGE,
                       "firebird: wait takes whole seconds from 0 to 100, not "
                       "'%s'",
                       wait);
    struct fire_place *place = mem_calloc(1, sizeof *place);
    place->wait = (long)seconds;
    db->self = place;
    // A file that is there must be a database; where there is none, it is made.
    if (scratch_open(&place->file, db->url.path, err) &&
        (access(place->file.path, F_OK) == 0 ||
         create(place->file.path, err)) &&
        name_engine(db, err))
        return true;
    close_firebird(db);
    return false;
}

/* --- transactions ----------------------------------------------------------*/

static enum outcome
start(struct firebird_link *c)
{
    static const char kinds[ISOLATIONS][2] = {
        [ISOLATION_UNCHANGED] = {isc_tpb_concurrency},
        [ISOLATION_READ_COMMITTED] = {isc_tpb_read_committed,
                                      isc_tpb_rec_version},
        [ISOLATION_REPEATABLE_READ] = {isc_tpb_concurrency},
        [ISOLATION_SERIALIZABLE] = {isc_tpb_consistency},
    };
    const char *kind =
        kinds[database_isolation(c->base.database, c->base.session)];
    char tpb[16];
    short n = 0;
    tpb[n++] = isc_tpb_version3;
    tpb[n++] = isc_tpb_write;
    for (int i = 0; i < 2 && kind[i]; i++)
        tpb[n++] = kind[i];
    const struct fire_place *place = c->base.database->self;
    if (place->wait) {
        tpb[n++] = isc_tpb_wait;
        tpb[n++] = isc_tpb_lock_timeout;
        tpb[n++] = 1; // byte
        tpb[n++] = (char)place->wait;
    } else {
        tpb[n++] = isc_tpb_nowait;
    }
    assert(!c->txn && n <= (short)sizeof tpb);
    firebird.isc_start_transaction(c->status, &c->txn, 1, &c->db, n, tpb);
    return firebird_has_failed(c->status) ? firebird_note_failure(c)
                                          : OUTCOME_OK;
}

static enum outcome
commit(struct firebird_link *c)
{
    firebird.isc_commit_transaction(c->status, &c->txn);
    return firebird_has_failed(c->status) ? firebird_note_failure(c)
                                          : OUTCOME_OK;
}

static enum outcome
roll_back(struct firebird_link *c)
{
    if (!c->txn)
        return OUTCOME_OK;
    firebird.isc_rollback_transaction(c->status, &c->txn);
    return firebird_has_failed(c->status) ? firebird_note_failure(c)
                                          : OUTCOME_OK;
}

/* --- statements ------------------------------------------------------------*/

static enum outcome
query(struct connection *base, const char *sql, struct result_rows *out)
{
    struct firebird_link *c = (struct firebird_link *)base;
    if (out)
        result_rows_clear(out);
    if (strcmp(sql, "begin") == 0)
        return c->txn ? outcome_set(base, OUTCOME_FAILED, "begin",
                                    "a transaction is running already")
                      : start(c);
    if (strcmp(sql, "rollback") == 0)
        return roll_back(c);
    if (strcmp(sql, "commit") == 0)
        return c->txn ? commit(c) : OUTCOME_OK;
    if (c->txn)
        return firebird_run(c, sql, out);
    enum outcome outcome = start(c);
    if (outcome == OUTCOME_OK)
        outcome = firebird_run(c, sql, out);
    if (outcome == OUTCOME_OK)
        outcome = commit(c);
    if (outcome != OUTCOME_OK && c->txn)
        firebird.isc_rollback_transaction(c->status, &c->txn);
    return outcome;
}

const struct driver driver_firebird = {
    .scheme = "firebird",
    .form = "firebird:PATH",
    .help = "Firebird in this process (without PATH: in a temporary directory)",
    .sql = &dialect_firebird,
    .open = open_firebird,
    .close = close_firebird,
    .connect = connect_firebird,
    .disconnect = disconnect,
    .query = query,
    SQL_TRANSACTIONS,
};
