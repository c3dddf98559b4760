/* drive_duckdb.c -- duckdb:PATH, DuckDB in this process.
 *
 *     duckdb:                              in memory
 *     duckdb:test.db?library=PATH          with that libduckdb.so
 *
 * All sessions are connections of one database, as DuckDB has it.  It has one
 * isolation level, snapshot isolation: whatever is asked for, that is what
 * there is.  Of two transactions that write a row the later one fails, and
 * nobody waits.
 *
 * No package of Debian has the library.  It is looked for at ?library, then
 * where the variable ASSAY_DUCKDB says, then where the system keeps libraries;
 * 'make databases' fetches one.  So its header is not used either: what is
 * declared here of its C interface is documented as stable.
 *
 * SPDX-License-Identifier: MIT */
#include "base/library.h"
#include "driver/drivers.h"
#include "driver/sql/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- DuckDB's C interface --------------------------------------------------*/

typedef struct duckdb_opaque_database *duckdb_database;
typedef struct duckdb_opaque_connection *duckdb_connection;

typedef struct {
    uint64_t column_count, row_count, rows_changed;
    void *columns;
    char *error_message;
    void *internal_data;
} duckdb_result;

typedef struct {
    char *data;
    uint64_t size;
} duckdb_string;

enum { DUCKDB_OK = 0 };
enum { DUCKDB_TRANSACTION = 10, DUCKDB_CONSTRAINT = 18 }; // types of errors

int duckdb_open_ext(const char *path, duckdb_database *out, void *config,
                    char **error);
void duckdb_close(duckdb_database *database);
int duckdb_connect(duckdb_database database, duckdb_connection *out);
void duckdb_disconnect(duckdb_connection *connection);
int duckdb_query(duckdb_connection connection, const char *sql,
                 duckdb_result *out);
void duckdb_destroy_result(duckdb_result *result);
const char *duckdb_result_error(duckdb_result *result);
int duckdb_result_error_type(duckdb_result result);
uint64_t duckdb_column_count(duckdb_result *result);
uint64_t duckdb_row_count(duckdb_result *result);
uint64_t duckdb_rows_changed(duckdb_result *result);
bool duckdb_value_is_null(duckdb_result *result, uint64_t column, uint64_t row);
duckdb_string duckdb_value_string(duckdb_result *result, uint64_t column,
                                  uint64_t row);
void duckdb_free(void *text);
const char *duckdb_library_version(void);

// clang-format off
#define CALLS(F) F(duckdb_open_ext) F(duckdb_close) F(duckdb_connect) \
    F(duckdb_disconnect) F(duckdb_query) F(duckdb_destroy_result) \
    F(duckdb_result_error) F(duckdb_result_error_type) \
    F(duckdb_column_count) F(duckdb_row_count) F(duckdb_rows_changed) \
    F(duckdb_value_is_null) F(duckdb_value_string) F(duckdb_free) \
    F(duckdb_library_version)
// clang-format on
static struct {
    CALLS(LIBRARY_MEMBER)
} duck;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

struct duck_link {
    struct connection base;
    duckdb_connection handle;
};

/* --- opening ---------------------------------------------------------------*/

static bool
load_library(const struct database *db, struct err *err)
{
    const char *variable = getenv("ASSAY_DUCKDB");
    const char *file = url_get(&db->url, "library", variable);
    struct err why = {0};
    return library_load(file && *file ? file : "libduckdb.so", calls,
                        LIBRARY_LENGTH(calls), &duck, &why) ||
           err_set(err, ERR_FEATURE,
                   "duckdb: %s; 'make databases' fetches it, and the variable "
                   "ASSAY_DUCKDB says where it is",
                   why.text);
}

static bool
open_duckdb(struct database *db, struct err *err)
{
    static const char *const known[] = {"library", NULL};
    const char *path = db->url.path[0] ? db->url.path : ":memory:";
    duckdb_database handle = NULL;
    char *why = NULL;
    if (!url_expect(&db->url, known, err) || !load_library(db, err))
        return false;
    if (duck.duckdb_open_ext(path, &handle, NULL, &why) != DUCKDB_OK) {
        err_set(err, ERR_IO, "cannot open: %s", why ? why : "no reason given");
        duck.duckdb_free(why);
        return err_in_file(err, path);
    }
    db->self = handle;
    snprintf(db->note, sizeof db->note, "DuckDB %s, %s",
             duck.duckdb_library_version(),
             db->url.path[0] ? "in a file" : "in memory");
    return true;
}

static void
close_duckdb(struct database *db)
{
    duckdb_database handle = db->self;
    duck.duckdb_close(&handle);
}

static void
disconnect(struct connection *base)
{
    struct duck_link *c = (struct duck_link *)base;
    duck.duckdb_disconnect(&c->handle);
    mem_free(c);
}

static bool
connect_duckdb(struct database *db, uint32_t session, size_t node,
               struct connection **out, struct err *err)
{
    struct duck_link *c = mem_calloc(1, sizeof *c);
    c->base = (struct connection){.driver = &driver_duckdb,
                                  .database = db,
                                  .session = session,
                                  .node = node};
    if (duck.duckdb_connect(db->self, &c->handle) == DUCKDB_OK)
        return sql_prepare(&c->base, out, err);
    mem_free(c);
    return err_set(err, ERR_IO, "duckdb: cannot connect");
}

/* --- statements ------------------------------------------------------------*/

static enum outcome
note_failure(struct duck_link *c, duckdb_result *result)
{
    const int type = duck.duckdb_result_error_type(*result);
    const char *why = duck.duckdb_result_error(result);
    // Conflicts have a type of their own in some places, and none in others.
    const bool is_conflict =
        type == DUCKDB_TRANSACTION ||
        (why && strncmp(why, "TransactionContext Error", 24) == 0);
    char number[16];
    snprintf(number, sizeof number, "%d", type);
    return outcome_set(&c->base, is_conflict ? OUTCOME_ABORTED : OUTCOME_FAILED,
                       is_conflict                 ? "transaction"
                       : type == DUCKDB_CONSTRAINT ? "constraint"
                                                   : number,
                       why ? why : "no reason given");
}

/* Lists, structs and maps have no text in this interface.  They must not be
 * taken for NULL. */
static bool
take_rows(duckdb_result *result, struct result_rows *out)
{
    bool ok = true;
    out->width = duck.duckdb_column_count(result);
    out->n = duck.duckdb_row_count(result);
    for (size_t i = 0; i < out->n * out->width; i++) {
        const uint64_t row = i / out->width, column = i % out->width;
        const bool is_null = duck.duckdb_value_is_null(result, column, row);
        duckdb_string text = {0};
        if (!is_null)
            text = duck.duckdb_value_string(result, column, row);
        ok = ok && (is_null || text.data);
        result_rows_add(out, text.data, text.size);
        duck.duckdb_free(text.data);
    }
    return ok;
}

static enum outcome
query(struct connection *base, const char *sql, struct result_rows *out)
{
    struct duck_link *c = (struct duck_link *)base;
    duckdb_result result = {0};
    if (out)
        result_rows_clear(out);
    const bool ok = duck.duckdb_query(c->handle, sql, &result) == DUCKDB_OK;
    base->changed = ok ? duck.duckdb_rows_changed(&result) : 0;
    enum outcome outcome = ok ? OUTCOME_OK : note_failure(c, &result);
    if (ok && out && !take_rows(&result, out))
        outcome = outcome_set(base, OUTCOME_FAILED, "type",
                              "a value whose type is not read, such as a list");
    duck.duckdb_destroy_result(&result);
    // A commit that fails has rolled back by itself already.
    return !ok && strcmp(sql, "rollback") == 0 ? OUTCOME_OK
                                               : outcome_of(base, outcome, sql);
}

const struct driver driver_duckdb = {
    .scheme = "duckdb",
    .form = "duckdb:PATH",
    .help = "DuckDB in this process (without PATH: in memory)",
    .sql = &dialect_duckdb,
    .open = open_duckdb,
    .close = close_duckdb,
    .connect = connect_duckdb,
    .disconnect = disconnect,
    .query = query,
    SQL_TRANSACTIONS,
};
