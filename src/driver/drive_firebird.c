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
#include "base/library.h"
#include "driver/drivers.h"
#include "driver/scratch.h"
#include "driver/sql/sql.h"

#include <ibase.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is used of the library; see base/library.h. */
// clang-format off
#define CALLS(F) F(isc_attach_database) F(isc_commit_transaction) \
    F(isc_detach_database) F(isc_dsql_allocate_statement) \
    F(isc_dsql_describe) F(isc_dsql_execute) F(isc_dsql_execute2) \
    F(isc_dsql_execute_immediate) F(isc_dsql_fetch) \
    F(isc_dsql_free_statement) F(isc_dsql_prepare) F(isc_dsql_sql_info) \
    F(isc_rollback_transaction) F(isc_start_transaction) \
    F(fb_interpret) F(fb_sqlstate)
// clang-format on
static struct {
    CALLS(LIBRARY_MEMBER)
} fire;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

enum {
    SQL_DIALECT = 3,     // the one in which names in quotes are names
    FETCH_IS_OVER = 100, // what isc_dsql_fetch says behind the last row
    NUMBER_ROOM = 64,    // bytes, for the text of a number or a date
};

struct fire_place {
    struct scratch file;
    long wait; // seconds for a lock
};

struct fire_link {
    struct connection base;
    isc_db_handle db;
    isc_tr_handle txn; // 0: none is running
    ISC_STATUS_ARRAY status;
};

/* --- errors ----------------------------------------------------------------*/

static bool
has_failed(const ISC_STATUS *status)
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
    while (n < room && fire.fb_interpret(line, sizeof line, &status))
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
static enum outcome
note_failure(struct fire_link *c)
{
    char state[8], message[256];
    fire.fb_sqlstate(state, c->status);
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
    fire.isc_attach_database(status, 0, path, out, sizeof parameters,
                             parameters);
    return !has_failed(status) || fail(status, "open", path, err);
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
    fire.isc_dsql_execute_immediate(status, &db, &txn, 0, sql.at, SQL_DIALECT,
                                    NULL);
    buf_free(&sql);
    if (db)
        fire.isc_detach_database(ignored, &db);
    return !has_failed(status) || fail(status, "create", path, err);
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
    struct fire_link *c = (struct fire_link *)base;
    if (c->txn)
        fire.isc_rollback_transaction(c->status, &c->txn);
    fire.isc_detach_database(c->status, &c->db);
    mem_free(c);
}

static bool
connect_firebird(struct database *db, uint32_t session, size_t node,
                 struct connection **out, struct err *err)
{
    const struct fire_place *place = db->self;
    struct fire_link *c = mem_calloc(1, sizeof *c);
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
    char *end;
    const long seconds = strtol(wait, &end, 10);
    if (!url_expect(&db->url, known, err) ||
        !library_load("libfbclient.so.2", calls, LIBRARY_LENGTH(calls), &fire,
                      err))
        return false;
    if (db->isolation == ISOLATION_READ_UNCOMMITTED)
        return err_set(err, ERR_USAGE, "firebird: has no read uncommitted");
    if (end == wait || *end || seconds < 0 || seconds > 100)
        return err_set(err, ERR_USAGE,
                       "firebird: wait takes seconds from 0 to 100, not '%s'",
                       wait);
    struct fire_place *place = mem_calloc(1, sizeof *place);
    place->wait = seconds;
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
start(struct fire_link *c)
{
    static const char kinds[ISOLATIONS][2] = {
        [ISOLATION_UNCHANGED] = {isc_tpb_concurrency},
        [ISOLATION_READ_COMMITTED] = {isc_tpb_read_committed,
                                      isc_tpb_rec_version},
        [ISOLATION_REPEATABLE_READ] = {isc_tpb_concurrency},
        [ISOLATION_SERIALIZABLE] = {isc_tpb_consistency},
    };
    const char *kind = kinds[c->base.database->isolation];
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
    fire.isc_start_transaction(c->status, &c->txn, 1, &c->db, n, tpb);
    return has_failed(c->status) ? note_failure(c) : OUTCOME_OK;
}

static enum outcome
commit(struct fire_link *c)
{
    fire.isc_commit_transaction(c->status, &c->txn);
    return has_failed(c->status) ? note_failure(c) : OUTCOME_OK;
}

static enum outcome
roll_back(struct fire_link *c)
{
    if (!c->txn)
        return OUTCOME_OK;
    fire.isc_rollback_transaction(c->status, &c->txn);
    return has_failed(c->status) ? note_failure(c) : OUTCOME_OK;
}

/* --- statements ------------------------------------------------------------*/

/* What a statement returns: a description, and room for one row of texts. */
struct fire_row {
    XSQLDA *columns;
    char *room;
};

static size_t
columns_of(const struct fire_row *r)
{
    return (size_t)r->columns->sqld;
}

static void
make_columns(struct fire_row *r, short n)
{
    mem_free(r->columns);
    r->columns = mem_calloc(1, (size_t)XSQLDA_LENGTH(n));
    r->columns->version = SQLDA_VERSION1;
    r->columns->sqln = n;
}

/* Ask for every column as text; false where one cannot be had as text. */
static bool
bind_texts(struct fire_row *r)
{
    size_t size = 0;
    for (size_t i = 0; i < columns_of(r); i++) {
        XSQLVAR *v = &r->columns->sqlvar[i];
        const short type = v->sqltype & ~1;
        if (type == SQL_BLOB || type == SQL_ARRAY)
            return false;
        if (type != SQL_VARYING && type != SQL_TEXT)
            v->sqllen = NUMBER_ROOM;
        v->sqltype = SQL_VARYING | 1;
        size += sizeof(short) * 2 + (size_t)v->sqllen + 1;
    }
    char *at = r->room = mem_calloc(size + 1, 1);
    for (size_t i = 0; i < columns_of(r); i++) {
        XSQLVAR *v = &r->columns->sqlvar[i];
        at += (uintptr_t)at & 1; // shorts lie at even places
        v->sqlind = (short *)(void *)at;
        v->sqldata = at + sizeof(short);
        at += sizeof(short) * 2 + (size_t)v->sqllen;
    }
    assert(at <= r->room + size);
    return true;
}

static void
take_row(const struct fire_row *r, struct result_rows *out)
{
    out->width = columns_of(r);
    out->n++;
    for (size_t i = 0; i < columns_of(r); i++) {
        const XSQLVAR *v = &r->columns->sqlvar[i];
        unsigned short n;
        memcpy(&n, v->sqldata, sizeof n);
        result_rows_add(out, *v->sqlind < 0 ? NULL : v->sqldata + sizeof n, n);
    }
}

/* An integer of what isc_dsql_sql_info says: two bytes for its length, then
 * itself, lowest byte first. */
static uint64_t
take_integer(const unsigned char **at)
{
    const size_t n = (*at)[0] | (size_t)(*at)[1] << 8;
    uint64_t value = 0;
    for (size_t i = 0; i < n && i < 8; i++)
        value |= (uint64_t)(*at)[2 + i] << 8 * i;
    *at += 2 + n;
    return value;
}

/* How many rows the statement has inserted, updated or deleted. */
static uint64_t
count_changes(struct fire_link *c, isc_stmt_handle *statement)
{
    static const char ask[] = {isc_info_sql_records};
    ISC_STATUS_ARRAY ignored;
    unsigned char answer[64] = {0};
    uint64_t changed = 0;
    (void)c;
    fire.isc_dsql_sql_info(ignored, statement, sizeof ask, ask, sizeof answer,
                           (char *)answer);
    if (answer[0] != isc_info_sql_records)
        return 0;
    const unsigned char *at = answer + 3; // behind the item and its length
    while (*at != isc_info_end && at < answer + sizeof answer - 12) {
        const unsigned char item = *at++;
        const uint64_t n = take_integer(&at);
        if (item != isc_info_req_select_count)
            changed += n;
    }
    return changed;
}

/* Whether the statement returns its only row when it is executed. */
static bool
returns_at_once(isc_stmt_handle *statement)
{
    static const char ask[] = {isc_info_sql_stmt_type};
    ISC_STATUS_ARRAY ignored;
    unsigned char answer[16] = {0};
    fire.isc_dsql_sql_info(ignored, statement, sizeof ask, ask, sizeof answer,
                           (char *)answer);
    const unsigned char *at = answer + 1;
    return answer[0] == isc_info_sql_stmt_type &&
           take_integer(&at) == isc_info_sql_stmt_exec_procedure;
}

/* Execute what was prepared, and read what it returns. */
static enum outcome
execute(struct fire_link *c, isc_stmt_handle *statement, struct fire_row *row,
        struct result_rows *out)
{
    if (columns_of(row) && returns_at_once(statement)) {
        fire.isc_dsql_execute2(c->status, &c->txn, statement, SQLDA_VERSION1,
                               NULL, row->columns);
        if (!has_failed(c->status) && out)
            take_row(row, out);
        return has_failed(c->status) ? note_failure(c) : OUTCOME_OK;
    }
    fire.isc_dsql_execute(c->status, &c->txn, statement, SQLDA_VERSION1, NULL);
    while (!has_failed(c->status) && columns_of(row)) {
        if (fire.isc_dsql_fetch(c->status, statement, SQLDA_VERSION1,
                                row->columns) == FETCH_IS_OVER)
            return OUTCOME_OK;
        if (!has_failed(c->status) && out)
            take_row(row, out);
    }
    return has_failed(c->status) ? note_failure(c) : OUTCOME_OK;
}

/* Run one statement in the transaction that is running. */
static enum outcome
run(struct fire_link *c, const char *sql, struct result_rows *out)
{
    struct fire_row row = {0};
    isc_stmt_handle statement = 0;
    ISC_STATUS_ARRAY ignored;
    enum outcome outcome;
    make_columns(&row, 8);
    fire.isc_dsql_allocate_statement(c->status, &c->db, &statement);
    if (!has_failed(c->status))
        fire.isc_dsql_prepare(c->status, &c->txn, &statement, 0, sql,
                              SQL_DIALECT, row.columns);
    if (!has_failed(c->status) && row.columns->sqld > row.columns->sqln) {
        make_columns(&row, row.columns->sqld);
        fire.isc_dsql_describe(c->status, &statement, SQLDA_VERSION1,
                               row.columns);
    }
    if (has_failed(c->status))
        outcome = note_failure(c);
    else if (!bind_texts(&row))
        outcome = outcome_set(&c->base, OUTCOME_FAILED, "type",
                              "a value whose type is not read, such as a blob");
    else
        outcome = execute(c, &statement, &row, out);
    c->base.changed = outcome == OUTCOME_OK ? count_changes(c, &statement) : 0;
    if (statement)
        fire.isc_dsql_free_statement(ignored, &statement, DSQL_drop);
    mem_free(row.columns);
    mem_free(row.room);
    return outcome;
}

static enum outcome
query(struct connection *base, const char *sql, struct result_rows *out)
{
    struct fire_link *c = (struct fire_link *)base;
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
        return run(c, sql, out);
    enum outcome outcome = start(c);
    if (outcome == OUTCOME_OK)
        outcome = run(c, sql, out);
    if (outcome == OUTCOME_OK)
        outcome = commit(c);
    if (outcome != OUTCOME_OK && c->txn)
        fire.isc_rollback_transaction(c->status, &c->txn);
    return outcome;
}

static const struct dialect dialect = {
    .append = "coalesce(v, '') || ',%s'",
    .text = "varchar(30000)",
    .inserts_one_row = true,
};

const struct driver driver_firebird = {
    .scheme = "firebird",
    .form = "firebird:PATH",
    .help = "Firebird in this process (without PATH: in a temporary directory)",
    .sql = &dialect,
    .open = open_firebird,
    .close = close_firebird,
    .connect = connect_firebird,
    .disconnect = disconnect,
    .query = query,
    SQL_TRANSACTIONS,
};
