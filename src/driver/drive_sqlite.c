/* drive_sqlite.c -- sqlite:PATH, SQLite in this process.
 *
 *     sqlite:test.db?journal=wal           rollback journal by default
 *     sqlite:test.db?cache=shared          one cache for all sessions, which
 *                                          read uncommitted needs
 *
 * Without a path the database is a file in a temporary directory, which is
 * removed at the end.  Transactions are deferred, so readers do not wait.  If
 * another transaction holds a lock that a transaction needs, it gets
 * SQLITE_BUSY or SQLITE_LOCKED, and rolls back.
 *
 * SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE // flock
#include "base/library.h"
#include "driver/drivers.h"
#include "driver/scratch.h"
#include "driver/sql/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The functions of the library that are used; see base/library.h. */
// clang-format off
#define CALLS(F) F(sqlite3_busy_timeout) F(sqlite3_changes) F(sqlite3_close) \
    F(sqlite3_column_bytes) F(sqlite3_column_count) F(sqlite3_column_text) \
    F(sqlite3_create_function_v2) F(sqlite3_errmsg) F(sqlite3_exec) F(sqlite3_extended_errcode) \
    F(sqlite3_finalize) F(sqlite3_get_autocommit) F(sqlite3_libversion) \
    F(sqlite3_open_v2) F(sqlite3_prepare_v2) F(sqlite3_result_int64) F(sqlite3_step) \
    F(sqlite3_user_data) F(sqlite3_value_text)
// clang-format on
static struct {
    CALLS(LIBRARY_MEMBER)
} lite;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

enum { WAIT_FOR_LOCK = 200 }; // milliseconds

struct place {
    struct scratch file;
    bool is_wal, is_shared;
    sqlite3 *keeper;       // keeps a shared cache alive between connections
    _Atomic int64_t noted; // the last number that assay_note drew
    int claim;             // the file, with a lock that is not SQLite's; or -1
};

struct link {
    struct connection base;
    sqlite3 *db;
    int64_t noted; // the last number that this connection drew
};

static bool
parse_choice(const struct database *db, const char *name, const char *usual,
             const char *other, bool *is_other, struct err *err)
{
    const char *text = url_get(&db->url, name, usual);
    *is_other = strcmp(text, other) == 0;
    return *is_other || strcmp(text, usual) == 0 ||
           err_set(err, ERR_USAGE, "sqlite: %s is %s or %s, not '%s'", name,
                   usual, other, text);
}

/* Open one handle on the file. */
static bool
open_handle(const struct place *p, sqlite3 **out, struct err *err)
{
    const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX |
        (p->is_shared ? SQLITE_OPEN_SHAREDCACHE : SQLITE_OPEN_PRIVATECACHE);
    const char *const settings =
        p->is_wal ? "pragma journal_mode=wal; pragma synchronous=off"
                  : "pragma journal_mode=delete; pragma synchronous=off";
    if (lite.sqlite3_open_v2(p->file.path, out, flags, NULL) == SQLITE_OK &&
        lite.sqlite3_busy_timeout(*out, WAIT_FOR_LOCK) == SQLITE_OK &&
        lite.sqlite3_exec(*out, settings, NULL, NULL, NULL) == SQLITE_OK)
        return true;
    err_set(err, ERR_IO, "cannot open: %s", lite.sqlite3_errmsg(*out));
    lite.sqlite3_close(*out);
    *out = NULL;
    return err_in_file(err, p->file.path);
}

static void
remove_place(struct place *p)
{
    static const char *const suffixes[] = {"-journal", "-wal", "-shm", NULL};
    lite.sqlite3_close(p->keeper);
    if (p->claim >= 0) {
        // A child may have it, too.  SQLite's own locks on a file end when any
        // descriptor of it is closed, so this comes last.
        flock(p->claim, LOCK_UN);
        close(p->claim);
    }
    scratch_close(&p->file, suffixes);
    mem_free(p);
}

static bool
open_sqlite(struct database *db, struct err *err)
{
    static const char *const known[] = {"journal", "cache", "library", NULL};
    const char *library = url_get(&db->url, "library", "libsqlite3.so.0");
    if (!library_load(library, calls, LIBRARY_LENGTH(calls), &lite, err))
        return false;
    struct place *p = mem_calloc(1, sizeof *p);
    p->claim = -1;
    bool ok =
        url_expect(&db->url, known, err) &&
        parse_choice(db, "journal", "rollback", "wal", &p->is_wal, err) &&
        parse_choice(db, "cache", "private", "shared", &p->is_shared, err);
    ok = ok && scratch_open(&p->file, db->url.path, err) &&
         open_handle(p, &p->keeper, err);
    if (!ok) {
        remove_place(p);
        return false;
    }
    db->self = p;
    snprintf(db->note, sizeof db->note, "SQLite %s, %s%s",
             lite.sqlite3_libversion(), p->is_wal ? "WAL" : "rollback journal",
             p->is_shared ? ", shared cache" : "");
    return true;
}

static void
close_sqlite(struct database *db)
{
    remove_place(db->self);
}

static void
disconnect(struct connection *base)
{
    struct link *c = (struct link *)base;
    lite.sqlite3_close(c->db);
    mem_free(c);
}

/* SQLite is serializable, unless a shared cache allows dirty reads. */
static bool
set_isolation(struct link *c, const struct place *p, struct err *err)
{
    const enum driver_isolation wanted =
        database_isolation(c->base.database, c->base.session);
    if (wanted == ISOLATION_READ_UNCOMMITTED && !p->is_shared)
        return err_set(err, ERR_USAGE,
                       "sqlite: read uncommitted needs ?cache=shared");
    return wanted != ISOLATION_READ_UNCOMMITTED ||
           sql_must(&c->base, "pragma read_uncommitted=1", NULL, err);
}

/* The function assay_note of SQL.  Without arguments it returns the last number
 * that the connection drew.  With them it draws a number and keeps the
 * arguments as a notice, one a line: the table, a letter, and what follows.
 * For a letter I or U, a version that is new, the number is the line before the
 * last. */
static void
note(sqlite3_context *context, int n, sqlite3_value **values)
{
    struct link *c = lite.sqlite3_user_data(context);
    struct place *p = c->base.database->self;
    if (n)
        c->noted = atomic_fetch_add(&p->noted, 1) + 1;
    struct buf *out = n > 1 ? c->base.notices : NULL;
    for (int i = 0; out && i < n; i++) {
        const char *text = (const char *)lite.sqlite3_value_text(values[i]);
        const char *letter = (const char *)lite.sqlite3_value_text(values[1]);
        if (i)
            buf_char(out, '\n');
        if (i == n - 1 && letter && (*letter == 'I' || *letter == 'U'))
            buf_printf(out, "%lld\n", (long long)c->noted);
        buf_text(out, text ? text : "");
    }
    if (out)
        buf_char(out, 0);
    lite.sqlite3_result_int64(context, c->noted);
}

/* The function assay_claim of SQL: 0 if another process has claimed the file.
 * One that cannot be locked is not claimed. */
static void
claim(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    (void)values;
    struct link *c = lite.sqlite3_user_data(context);
    struct place *p = c->base.database->self;
    if (p->claim < 0)
        p->claim = open(p->file.path, O_RDONLY | O_CLOEXEC);
    const bool is_taken = p->claim >= 0 &&
                          flock(p->claim, LOCK_EX | LOCK_NB) != 0 &&
                          errno == EWOULDBLOCK;
    lite.sqlite3_result_int64(context, !is_taken);
}

/* Triggers may call the first of them. */
static bool
add_functions(struct link *c, struct err *err)
{
    const int flags = SQLITE_UTF8 | SQLITE_INNOCUOUS;
    return (lite.sqlite3_create_function_v2(c->db, "assay_note", -1, flags, c,
                                            note, NULL, NULL,
                                            NULL) == SQLITE_OK &&
            lite.sqlite3_create_function_v2(c->db, "assay_claim", 0,
                                            SQLITE_UTF8, c, claim, NULL, NULL,
                                            NULL) == SQLITE_OK) ||
           err_set(err, ERR_IO, "sqlite: %s", lite.sqlite3_errmsg(c->db));
}

static bool
connect_sqlite(struct database *db, uint32_t session, size_t node,
               struct connection **out, struct err *err)
{
    const struct place *p = db->self;
    struct link *c = mem_calloc(1, sizeof *c);
    c->base = (struct connection){.driver = &driver_sqlite,
                                  .database = db,
                                  .session = session,
                                  .node = node};
    if (open_handle(p, &c->db, err) && add_functions(c, err) &&
        set_isolation(c, p, err))
        return sql_prepare(&c->base, out, err);
    disconnect(&c->base);
    return false;
}

/* --- statements ------------------------------------------------------------*/

/* The name of an error as SQLite's own documents have it; its number where it
 * is not one that transactions meet. */
static void
name_error(int code, char *out, size_t room)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
        {SQLITE_BUSY, "SQLITE_BUSY"},
        {SQLITE_BUSY_RECOVERY, "SQLITE_BUSY_RECOVERY"},
        {SQLITE_BUSY_SNAPSHOT, "SQLITE_BUSY_SNAPSHOT"},
        {SQLITE_LOCKED, "SQLITE_LOCKED"},
        {SQLITE_LOCKED_SHAREDCACHE, "SQLITE_LOCKED_SHAREDCACHE"},
        {SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"},
        {SQLITE_CONSTRAINT_CHECK, "SQLITE_CONSTRAINT_CHECK"},
        {SQLITE_CONSTRAINT_FOREIGNKEY, "SQLITE_CONSTRAINT_FOREIGNKEY"},
        {SQLITE_CONSTRAINT_NOTNULL, "SQLITE_CONSTRAINT_NOTNULL"},
        {SQLITE_CONSTRAINT_ROWID, "SQLITE_CONSTRAINT_ROWID"},
        {SQLITE_CONSTRAINT_PRIMARYKEY, "SQLITE_CONSTRAINT_PRIMARYKEY"},
        {SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE"},
        {SQLITE_IOERR, "SQLITE_IOERR"},
        {SQLITE_FULL, "SQLITE_FULL"},
        {SQLITE_READONLY, "SQLITE_READONLY"},
        {SQLITE_PERM, "SQLITE_PERM"},
        {SQLITE_AUTH, "SQLITE_AUTH"},
        {SQLITE_CORRUPT, "SQLITE_CORRUPT"},
        {SQLITE_NOTADB, "SQLITE_NOTADB"},
        {SQLITE_INTERNAL, "SQLITE_INTERNAL"},
    };
    if ((code & 0xff) == SQLITE_CORRUPT) // of a table, an index
        code = SQLITE_CORRUPT;
    snprintf(out, room, "%d", code);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == code)
            snprintf(out, room, "%s", names[i].name);
}

static enum outcome
note_failure(struct link *c, int status)
{
    char code[DRIVER_CODE];
    name_error(lite.sqlite3_extended_errcode(c->db), code, sizeof code);
    const bool busy =
        (status & 0xff) == SQLITE_BUSY || (status & 0xff) == SQLITE_LOCKED;
    return outcome_set(&c->base, busy ? OUTCOME_ABORTED : OUTCOME_FAILED, code,
                       lite.sqlite3_errmsg(c->db));
}

static void
take_row(sqlite3_stmt *s, struct result_rows *out)
{
    out->width = (size_t)lite.sqlite3_column_count(s);
    out->n++;
    for (int i = 0; i < (int)out->width; i++) {
        const char *text = (const char *)lite.sqlite3_column_text(s, i);
        result_rows_add(out, text, (size_t)lite.sqlite3_column_bytes(s, i));
    }
}

static enum outcome
query(struct connection *base, const char *sql, struct result_rows *out)
{
    struct link *c = (struct link *)base;
    if (out)
        result_rows_clear(out);
    // After some errors SQLite has already rolled back.
    if (strcmp(sql, "rollback") == 0 && lite.sqlite3_get_autocommit(c->db))
        return OUTCOME_OK;
    sqlite3_stmt *s = NULL;
    int status = lite.sqlite3_prepare_v2(c->db, sql, -1, &s, NULL);
    while (status == SQLITE_OK || status == SQLITE_ROW) {
        status = lite.sqlite3_step(s);
        if (status == SQLITE_ROW && out)
            take_row(s, out);
    }
    base->changed = (uint64_t)lite.sqlite3_changes(c->db);
    const enum outcome outcome =
        status == SQLITE_DONE ? OUTCOME_OK : note_failure(c, status);
    lite.sqlite3_finalize(s);
    return outcome_of(base, outcome, sql);
}

const struct driver driver_sqlite = {
    .scheme = "sqlite",
    .form = "sqlite:PATH",
    .help = "SQLite in this process (without PATH: in a temporary directory)",
    .sql = &dialect_sqlite,
    .open = open_sqlite,
    .close = close_sqlite,
    .connect = connect_sqlite,
    .disconnect = disconnect,
    .query = query,
    SQL_TRANSACTIONS,
};
