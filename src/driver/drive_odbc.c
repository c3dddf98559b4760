/* drive_odbc.c -- odbc:, any database that has an ODBC driver, with unixODBC.
 *
 *     odbc:DSN=mine;UID=me;PWD=secret
 *     odbc:Driver=PostgreSQL Unicode;Server=/tmp;Database=d
 *
 * The text after the scheme is a connection string as ODBC has it.  The product
 * decides the dialect: PostgreSQL, MariaDB, MySQL and SQLite get the statements
 * that the own driver of the product would send, also "begin" and "commit".
 * Others get standard SQL, and calls of ODBC that begin, end and isolate
 * transactions.
 *
 * Errors have a SQLSTATE, and a number of the product, which says more on
 * MariaDB and SQLite.  A statement that failed inside a transaction makes its
 * commit a rollback: what an ODBC driver does with such a transaction depends
 * on its settings.
 *
 * SPDX-License-Identifier: MIT */
#include "base/ascii.h"
#include "base/library.h"
#include "driver/drivers.h"
#include "driver/self_check.h"
#include "driver/sql/sql.h"

#include <assert.h>
#include <sql.h>
#include <sqlext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The functions of the library that are used; see base/library.h. */
// clang-format off
#define CALLS(F) F(SQLAllocHandle) F(SQLFreeHandle) F(SQLSetEnvAttr) \
    F(SQLSetConnectAttr) F(SQLGetConnectAttr) F(SQLDriverConnect) \
    F(SQLDisconnect) F(SQLGetInfo) F(SQLExecDirect) F(SQLNumResultCols) \
    F(SQLFetch) F(SQLGetData) F(SQLRowCount) F(SQLGetDiagRec) F(SQLEndTran)
// clang-format on
static struct {
    CALLS(LIBRARY_MEMBER)
} odbc;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

enum { STATE = 6, MESSAGE = 512, CHUNK = 4096, LONGEST_INFO = 100 };

/* What is known of a product. */
struct product {
    const char *name; // the beginning of SQL_DBMS_NAME, in small letters
    const struct dialect *dialect;
    bool has_numbers; // errors are known by the product's number
    bool has_texts;   // "begin", "commit" and "rollback" are statements
};

static const struct product products[] = {
    {"postgresql", &dialect_postgresql, false, true},
    {"mariadb", &dialect_mariadb, true, true},
    {"mysql", &dialect_mariadb, true, true},
    {"sqlite", &dialect_sqlite, true, true},
    {"", &dialect_other, false, false},
};

/* Numbers of errors, and SQLSTATEs by their beginning. */
static const struct meaning {
    const struct dialect *dialect; // NULL: any
    int number;                    // 0: by the SQLSTATE
    const char *state;
    enum outcome outcome;
    const char *code; // what the code is called; NULL: as it is
} meanings[] = {
    {&dialect_mariadb, 1213, NULL, OUTCOME_ABORTED, NULL}, // deadlock
    {&dialect_mariadb, 1205, NULL, OUTCOME_ABORTED, NULL}, // lock timeout
    {&dialect_mariadb, 1020, NULL, OUTCOME_ABORTED, NULL}, // row has changed
    {&dialect_mariadb, 1053, NULL, OUTCOME_LOST, NULL},    // shutdown
    {&dialect_mariadb, 1180, NULL, OUTCOME_LOST, NULL},    // during a commit
    {&dialect_mariadb, 1927, NULL, OUTCOME_LOST, NULL},    // killed
    {&dialect_mariadb, 2006, NULL, OUTCOME_LOST, NULL},    // gone away
    {&dialect_mariadb, 2013, NULL, OUTCOME_LOST, NULL},    // lost in a query
    {&dialect_mariadb, 2055, NULL, OUTCOME_LOST, NULL},    // the same
    {&dialect_sqlite, 5, NULL, OUTCOME_ABORTED, "SQLITE_BUSY"},
    {&dialect_sqlite, 6, NULL, OUTCOME_ABORTED, "SQLITE_LOCKED"},
    {&dialect_sqlite, 11, NULL, OUTCOME_FAILED, "SQLITE_CORRUPT"},
    {&dialect_sqlite, 19, NULL, OUTCOME_FAILED, "SQLITE_CONSTRAINT"},
    {&dialect_sqlite, 26, NULL, OUTCOME_FAILED, "SQLITE_NOTADB"},
    {NULL, 0, "40003", OUTCOME_LOST, NULL}, // the outcome is not known
    {NULL, 0, "40", OUTCOME_ABORTED, NULL},
    {NULL, 0, "08", OUTCOME_LOST, NULL},
    {&dialect_postgresql, 0, "57P", OUTCOME_LOST, NULL}, // a shutdown
};

static const struct {
    enum driver_isolation isolation;
    SQLULEN level;
} levels[] = {
    {ISOLATION_READ_UNCOMMITTED, SQL_TXN_READ_UNCOMMITTED},
    {ISOLATION_READ_COMMITTED, SQL_TXN_READ_COMMITTED},
    {ISOLATION_REPEATABLE_READ, SQL_TXN_REPEATABLE_READ},
    {ISOLATION_SERIALIZABLE, SQL_TXN_SERIALIZABLE},
};

struct place {
    SQLHENV environment;
    const struct product *product;
    struct sql_variant variant;
};

struct link {
    struct connection base;
    const struct product *product;
    SQLHDBC handle;
    bool is_open;    // a transaction that ODBC has begun
    bool has_failed; // a statement of this transaction
};

/* --- diagnoses -------------------------------------------------------------*/

struct diagnosis {
    char state[STATE];
    int number;
    char message[MESSAGE];
};

static bool
diagnose(SQLSMALLINT kind, SQLHANDLE handle, SQLSMALLINT i,
         struct diagnosis *out)
{
    SQLINTEGER number = 0;
    SQLSMALLINT length = 0;
    *out = (struct diagnosis){.state = "HY000"};
    const SQLRETURN status =
        odbc.SQLGetDiagRec(kind, handle, i, (SQLCHAR *)out->state, &number,
                           (SQLCHAR *)out->message, MESSAGE, &length);
    out->number = (int)number;
    return SQL_SUCCEEDED(status);
}

static bool
fail(SQLSMALLINT kind, SQLHANDLE handle, struct err *err)
{
    struct diagnosis d;
    diagnose(kind, handle, 1, &d);
    return err_set(err, ERR_IO, "odbc: %s (%s)",
                   *d.message ? d.message : "no reason given", d.state);
}

static bool
fits(const struct meaning *m, const struct dialect *dialect,
     const struct diagnosis *d)
{
    return (!m->dialect || m->dialect == dialect) &&
           (m->number ? m->number == d->number
                      : strncmp(m->state, d->state, strlen(m->state)) == 0);
}

static enum outcome
note_failure(struct link *c, SQLSMALLINT kind, SQLHANDLE handle)
{
    const struct product *p = c->product;
    struct diagnosis d;
    char number[DRIVER_CODE];
    diagnose(kind, handle, 1, &d);
    snprintf(number, sizeof number, "%d", d.number);
    const char *code = p->has_numbers && d.number ? number : d.state;
    enum outcome outcome = OUTCOME_FAILED;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (fits(&meanings[i], p->dialect, &d)) {
            outcome = meanings[i].outcome;
            code = meanings[i].code ? meanings[i].code : code;
            break;
        }
    SQLUINTEGER is_dead = SQL_CD_FALSE;
    odbc.SQLGetConnectAttr(c->handle, SQL_ATTR_CONNECTION_DEAD, &is_dead, 0,
                           NULL);
    if (is_dead == SQL_CD_TRUE)
        outcome = OUTCOME_LOST;
    c->has_failed = true;
    return outcome_set(&c->base, outcome, code, d.message);
}

/* --- connections -----------------------------------------------------------*/

static bool
connect_handle(const struct database *db, SQLHENV environment, SQLHDBC *out,
               struct err *err)
{
    char *text = mem_calloc(strlen(db->url.path) + 1, 1);
    memcpy(text, db->url.path, strlen(db->url.path));
    bool ok =
        SQL_SUCCEEDED(odbc.SQLAllocHandle(SQL_HANDLE_DBC, environment, out));
    if (!ok)
        fail(SQL_HANDLE_ENV, environment, err);
    if (ok && !SQL_SUCCEEDED(odbc.SQLDriverConnect(*out, NULL, (SQLCHAR *)text,
                                                   SQL_NTS, NULL, 0, NULL,
                                                   SQL_DRIVER_NOPROMPT))) {
        ok = fail(SQL_HANDLE_DBC, *out, err);
        odbc.SQLFreeHandle(SQL_HANDLE_DBC, *out);
    }
    mem_free(text);
    return ok;
}

static void
disconnect_handle(SQLHDBC handle)
{
    odbc.SQLDisconnect(handle);
    odbc.SQLFreeHandle(SQL_HANDLE_DBC, handle);
}

static void
get_info(SQLHDBC handle, SQLUSMALLINT what, char out[LONGEST_INFO])
{
    SQLSMALLINT n = 0;
    out[0] = 0;
    odbc.SQLGetInfo(handle, what, out, LONGEST_INFO, &n);
    out[LONGEST_INFO - 1] = 0;
}

static const struct product *
find_product(const char *name)
{
    const struct product *p = products;
    assert(name);
    while (ascii_compare_n(name, p->name, strlen(p->name)) != 0)
        p++;
    return p;
}

/* The dialect of the product, without what needs the product's own driver. */
static void
choose_product(struct database *db, SQLHDBC handle)
{
    struct place *p = db->self;
    char name[LONGEST_INFO], version[LONGEST_INFO], driver[LONGEST_INFO];
    get_info(handle, SQL_DBMS_NAME, name);
    get_info(handle, SQL_DBMS_VER, version);
    get_info(handle, SQL_DRIVER_NAME, driver);
    p->product = find_product(name);
    sql_variant_init(&p->variant, &driver_odbc, p->product->dialect);
    // A function of the own driver; and sqliteodbc 0.9998 runs a statement with
    // RETURNING in a way that loses its effect or its rollback.
    if (p->product->dialect == &dialect_sqlite) {
        p->variant.dialect.claim = NULL;
        p->variant.dialect.returning = 0;
    }
    // Their triggers report rows in ways that ODBC does not pass on.
    p->variant.dialect.cannot_record = p->product->dialect != &dialect_mariadb;
    db->driver = &p->variant.driver;
    snprintf(db->note, sizeof db->note, "%.40s %.40s, by ODBC (%.30s)", name,
             version, driver);
}

static void
close_odbc(struct database *db)
{
    struct place *p = db->self;
    odbc.SQLFreeHandle(SQL_HANDLE_ENV, p->environment);
    db->driver = &driver_odbc;
    mem_free(p);
}

static bool
open_odbc(struct database *db, struct err *err)
{
    SQLHDBC handle;
    if (!db->url.path[0])
        return err_set(err, ERR_USAGE,
                       "odbc: expected a connection string behind it, such as "
                       "odbc:DSN=NAME");
    if (!library_load("libodbc.so.2", calls, LIBRARY_LENGTH(calls), &odbc, err))
        return false;
    struct place *p = db->self = mem_calloc(1, sizeof *p);
    odbc.SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &p->environment);
    // A number that travels as a pointer.
    odbc.SQLSetEnvAttr(p->environment, SQL_ATTR_ODBC_VERSION,
                       (SQLPOINTER)(uintptr_t)SQL_OV_ODBC3, 0);
    if (!connect_handle(db, p->environment, &handle, err)) {
        close_odbc(db);
        return false;
    }
    choose_product(db, handle);
    disconnect_handle(handle);
    return true;
}

static void
disconnect(struct connection *base)
{
    struct link *c = (struct link *)base;
    if (c->is_open)
        odbc.SQLEndTran(SQL_HANDLE_DBC, c->handle, SQL_ROLLBACK);
    disconnect_handle(c->handle);
    mem_free(c);
}

/* Request the isolation by ODBC, and read it back. */
static bool
set_isolation(struct link *c, struct err *err)
{
    const enum driver_isolation wanted =
        database_isolation(c->base.database, c->base.session);
    SQLULEN level = 0, got = 0;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (levels[i].isolation == wanted)
            level = levels[i].level;
    if (!level || c->product->dialect->set_isolation ||
        c->product->dialect == &dialect_sqlite)
        return true;
    if (!SQL_SUCCEEDED(odbc.SQLSetConnectAttr(c->handle, SQL_ATTR_TXN_ISOLATION,
                                              (SQLPOINTER)level, 0)))
        return fail(SQL_HANDLE_DBC, c->handle, err);
    odbc.SQLGetConnectAttr(c->handle, SQL_ATTR_TXN_ISOLATION, &got, 0, NULL);
    return got == level ||
           err_set(err, ERR_IO, "odbc: requested %s, got level %lu of ODBC",
                   driver_isolation_names[wanted], (unsigned long)got);
}

static bool
connect_odbc(struct database *db, uint32_t session, size_t node,
             struct connection **out, struct err *err)
{
    const struct place *p = db->self;
    struct link *c = mem_calloc(1, sizeof *c);
    c->base = (struct connection){
        .driver = db->driver, .database = db, .session = session, .node = node};
    c->product = p->product;
    if (!connect_handle(db, p->environment, &c->handle, err)) {
        mem_free(c);
        return false;
    }
    if (set_isolation(c, err))
        return sql_prepare(&c->base, out, err);
    disconnect(&c->base);
    return false;
}

/* --- statements ------------------------------------------------------------*/

/* Append the text of one column of the current row. */
static bool
take_cell(SQLHSTMT s, SQLUSMALLINT column, struct buf *text,
          struct result_rows *out)
{
    char chunk[CHUNK];
    SQLLEN n = 0;
    buf_clear(text);
    for (;;) {
        const SQLRETURN status =
            odbc.SQLGetData(s, column, SQL_C_CHAR, chunk, sizeof chunk, &n);
        if (status == SQL_NO_DATA)
            break;
        if (!SQL_SUCCEEDED(status))
            return false;
        if (n == SQL_NULL_DATA) {
            result_rows_add(out, NULL, 0);
            return true;
        }
        // A piece is as long as the buffer, and ends in a zero.
        const bool is_piece = n == SQL_NO_TOTAL || n >= (SQLLEN)sizeof chunk;
        buf_add(text, chunk, is_piece ? sizeof chunk - 1 : (size_t)n);
        if (!is_piece)
            break;
    }
    result_rows_add(out, text->n ? text->at : "", text->n);
    return true;
}

static bool
take_rows(SQLHSTMT s, size_t width, struct result_rows *out)
{
    struct buf text = {0};
    bool ok = true;
    SQLRETURN status = SQL_NO_DATA;
    out->width = width;
    while (ok && SQL_SUCCEEDED(status = odbc.SQLFetch(s))) {
        out->n++;
        for (size_t i = 0; ok && i < width; i++)
            ok = take_cell(s, (SQLUSMALLINT)(i + 1), &text, out);
    }
    buf_free(&text);
    return ok && status == SQL_NO_DATA;
}

static enum outcome
execute(struct link *c, const char *sql, struct result_rows *out)
{
    SQLHSTMT s;
    SQLSMALLINT width = 0;
    SQLLEN changed = 0;
    struct buf text = {0};
    if (!SQL_SUCCEEDED(odbc.SQLAllocHandle(SQL_HANDLE_STMT, c->handle, &s)))
        return note_failure(c, SQL_HANDLE_DBC, c->handle);
    buf_text(&text, sql);
    const SQLRETURN status = odbc.SQLExecDirect(s, (SQLCHAR *)text.at, SQL_NTS);
    // A statement that finds no row may say so in its status.
    bool ok = SQL_SUCCEEDED(status) || status == SQL_NO_DATA;
    if (ok && SQL_SUCCEEDED(status)) {
        odbc.SQLNumResultCols(s, &width);
        if (!width)
            odbc.SQLRowCount(s, &changed);
        else if (out)
            ok = take_rows(s, (size_t)width, out);
    }
    c->base.changed = changed > 0 ? (uint64_t)changed : 0;
    const enum outcome outcome =
        ok ? OUTCOME_OK : note_failure(c, SQL_HANDLE_STMT, s);
    odbc.SQLFreeHandle(SQL_HANDLE_STMT, s);
    buf_free(&text);
    return outcome;
}

/* Begin or end a transaction by ODBC. */
static enum outcome
begin_by_call(struct link *c)
{
    const SQLRETURN status = odbc.SQLSetConnectAttr(
        c->handle, SQL_ATTR_AUTOCOMMIT,
        (SQLPOINTER)(uintptr_t)SQL_AUTOCOMMIT_OFF, SQL_IS_UINTEGER);
    c->is_open = SQL_SUCCEEDED(status);
    return c->is_open ? OUTCOME_OK : note_failure(c, SQL_HANDLE_DBC, c->handle);
}

static enum outcome
end_by_call(struct link *c, SQLSMALLINT how)
{
    if (!c->is_open)
        return OUTCOME_OK;
    const SQLRETURN status = odbc.SQLEndTran(SQL_HANDLE_DBC, c->handle, how);
    if (!SQL_SUCCEEDED(status))
        return note_failure(c, SQL_HANDLE_DBC, c->handle);
    c->is_open = false;
    odbc.SQLSetConnectAttr(c->handle, SQL_ATTR_AUTOCOMMIT,
                           (SQLPOINTER)(uintptr_t)SQL_AUTOCOMMIT_ON,
                           SQL_IS_UINTEGER);
    return OUTCOME_OK;
}

static enum outcome
roll_back(struct link *c)
{
    const enum outcome outcome = c->product->has_texts
                                     ? execute(c, "rollback", NULL)
                                     : end_by_call(c, SQL_ROLLBACK);
    // After a deadlock or a busy file there may be no transaction any more.
    const bool is_over = outcome == OUTCOME_FAILED && c->product->has_texts &&
                         c->product->dialect == &dialect_sqlite;
    c->has_failed = false;
    return is_over ? OUTCOME_OK : outcome;
}

static enum outcome
commit(struct link *c)
{
    if (c->has_failed) {
        const enum outcome outcome = roll_back(c);
        return outcome == OUTCOME_OK
                   ? outcome_set(&c->base, OUTCOME_ABORTED, "rollback",
                                 "the commit was turned into a rollback")
                   : outcome;
    }
    return c->product->has_texts ? execute(c, "commit", NULL)
                                 : end_by_call(c, SQL_COMMIT);
}

static enum outcome
query(struct connection *base, const char *sql, struct result_rows *out)
{
    struct link *c = (struct link *)base;
    enum outcome outcome;
    assert(c->handle && c->product && sql);
    if (out)
        result_rows_clear(out);
    const bool is_begin = ascii_compare_n(sql, "begin", 5) == 0 ||
                          ascii_compare_n(sql, "start ", 6) == 0;
    if (is_begin)
        c->has_failed = false;
    if (strcmp(sql, "commit") == 0)
        outcome = commit(c);
    else if (strcmp(sql, "rollback") == 0)
        outcome = roll_back(c);
    else if (strcmp(sql, "begin") == 0 && !c->product->has_texts)
        outcome = begin_by_call(c);
    else
        outcome = execute(c, sql, out);
    return outcome_of(base, outcome, sql);
}

static bool
load(struct database *db, uint64_t keys, enum key_kind kind, struct err *err)
{
    return sql_load(db, keys, kind, err) &&
           (!keys || database_self_check(db, kind, NULL, err));
}

static bool
load_table(struct database *db, const struct table_shape *table,
           struct err *err)
{
    return sql_load_table(db, table, err) &&
           database_self_check(db, KEYS_REGISTERS, table, err);
}

const struct driver driver_odbc = {
    .scheme = "odbc",
    .form = "odbc:CONNECTION-STRING",
    .help = "any database with an ODBC driver",
    .sql = &dialect_other,
    .open = open_odbc,
    .close = close_odbc,
    .load = load,
    .load_table = load_table,
    .unload = sql_unload,
    .connect = connect_odbc,
    .disconnect = disconnect,
    .begin = sql_begin,
    .read = sql_read,
    .write = sql_write,
    .append = sql_append,
    .read_list = sql_read_list,
    .read_cell = sql_read_cell,
    .write_cell = sql_write_cell,
    .commit = sql_commit,
    .abort = sql_abort,
    .query = query,
};
