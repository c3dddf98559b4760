/* driver.h -- databases behind one table of functions.
 *
 * A driver opens a database, connects sessions to it, and runs transactions of
 * reads, writes and appends on numbered keys; the drivers of SQL databases
 * also run SQL.  What happens to a transaction is one of four outcomes, which
 * is all that the callers need to know about errors.
 *
 * A database is shared by the threads of all sessions; a connection belongs to
 * one session's thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_DRIVER_H
#define DRIVER_DRIVER_H

#include "base/buf.h"
#include "driver/url.h"
#include "level/level.h"

#include <stdatomic.h>

enum outcome {
    OUTCOME_OK,
    OUTCOME_ABORTED, // rolled back by the database, which may be tried again
    OUTCOME_FAILED,  // the statement was refused; the caller should roll back
    OUTCOME_LOST,    // the connection is gone, and with it the knowledge of
                     // what became of a commit
};

/* What a session asks of the server; not to be confused with the level that
 * its histories are checked against. */
enum driver_isolation {
    ISOLATION_UNCHANGED, // the server's default
    ISOLATION_READ_UNCOMMITTED,
    ISOLATION_READ_COMMITTED,
    ISOLATION_REPEATABLE_READ,
    ISOLATION_SERIALIZABLE,
    ISOLATIONS
};

/* As in SQL, "repeatable read"; "" for ISOLATION_UNCHANGED. */
extern const char *const driver_isolation_names[ISOLATIONS];

/* Parse a name, with '-' or ' ' between the words, in any case. */
bool driver_isolation_parse(const char *text, enum driver_isolation *out);

/* What to ask of a server that is to satisfy the level. */
enum driver_isolation driver_isolation_for(enum level level);

/* What a statement returned: n rows of 'width' cells each.  All-zero is
 * empty. */
struct result_cell {
    size_t at, n; // in 'text'
    bool is_null;
};

struct result_rows {
    size_t n, width;
    VEC(struct result_cell) cells;
    struct buf text;
};

void result_rows_clear(struct result_rows *r);
void result_rows_free(struct result_rows *r);

/* Append a cell of the last row; a text that is NULL is SQL's NULL. */
void result_rows_add(struct result_rows *r, const char *text, size_t n);

/* The text of a cell; "" for NULL and where there is no such cell: how many
 * rows and columns an answer has is up to the server. */
const char *result_rows_get(const struct result_rows *r, size_t row,
                            size_t column);

/* Whether a cell is NULL or not there. */
bool result_rows_is_null(const struct result_rows *r, size_t row,
                         size_t column);

struct driver;
struct dialect; // driver/sql.h

/* What keys hold: an integer, or a list of them, kept as text or in a column
 * of the database's own array type. */
enum key_kind { KEYS_REGISTERS, KEYS_LISTS, KEYS_ARRAYS };

struct database {
    const struct driver *driver;
    struct url url;
    enum driver_isolation isolation;
    const char *setup;        // SQL for each connection, or NULL; borrowed
    enum key_kind keys;       // what was loaded
    VEC(const char *) tables; // that were made, by the names of their shapes
    size_t nodes;             // at least 1
    void *self;               // the driver's
    char note[128];           // what is running there, for people
    atomic_bool is_gone;      // for good: to connect again is of no use
};

struct connection {
    const struct driver *driver;
    struct database *database;
    uint32_t session;
    size_t node;
    bool is_read_only;  // the node takes no writes
    uint64_t server_id; // what the server calls this connection
    uint64_t changed;   // rows that the last statement wrote
    char code[16];      // of the last outcome that was not OK
    char message[256];  // and what the server said
};

/* A read of a register or a cell: nothing, or an integer. */
struct driver_read {
    bool has_value;
    int64_t value;
    int64_t author; // of a cell with authors; 0: not written yet
};

typedef VEC(int64_t) int_vec;

/* A table of cells: rows have an integer for a key, and all columns hold
 * integers. */
struct table_shape {
    const char *name;
    const char *const *columns;
    const int64_t *initial; // one per column, of the rows that are there from
                            // the beginning; NULL: no values
    size_t n_columns;
    uint64_t rows; // 0 .. rows-1 are there from the beginning
    // Each value comes with the number of its writer, not 0: different
    // transactions may write the same value.
    bool has_authors;
};

struct cell_place {
    const struct table_shape *table;
    uint64_t row;
    size_t column;
};

struct driver {
    const char *scheme, *form, *help;
    const struct dialect *sql; // of SQL; NULL where it has none

    /* Open what db->url names and fill in nodes, self and note. */
    bool (*open)(struct database *db, struct err *err);
    void (*close)(struct database *db);

    /* Make keys 0..keys-1 be there, all without a value. */
    bool (*load)(struct database *db, uint64_t keys, enum key_kind kind,
                 struct err *err);

    /* Make a table of cells. */
    bool (*load_table)(struct database *db, const struct table_shape *table,
                       struct err *err);

    /* Remove what load and load_table have made. */
    bool (*unload)(struct database *db, struct err *err);

    bool (*connect)(struct database *db, uint32_t session, size_t node,
                    struct connection **out, struct err *err);
    void (*disconnect)(struct connection *c);

    /* A transaction.  After an outcome that is not OK call 'abort', unless the
     * connection is lost.  A key whose row is missing reads as one without a
     * value, and to write it does nothing: *is_missing says so. */
    enum outcome (*begin)(struct connection *c);
    enum outcome (*read)(struct connection *c, uint64_t key,
                         struct driver_read *out);
    enum outcome (*write)(struct connection *c, uint64_t key, int64_t value,
                          bool *is_missing);
    enum outcome (*append)(struct connection *c, uint64_t key, int64_t element,
                           bool *is_missing);
    enum outcome (*read_list)(struct connection *c, uint64_t key, int_vec *out);
    enum outcome (*read_cell)(struct connection *c, const struct cell_place *at,
                              struct driver_read *out);
    enum outcome (*write_cell)(struct connection *c,
                               const struct cell_place *at, int64_t value,
                               int64_t author, bool *is_missing);
    enum outcome (*commit)(struct connection *c);
    enum outcome (*abort)(struct connection *c);

    /* Run one SQL statement; its rows replace those of 'out', which may be
     * NULL.  NULL where the database has no SQL. */
    enum outcome (*query)(struct connection *c, const char *sql,
                          struct result_rows *out);
};

extern const struct driver *const driver_table[]; // ends in NULL

/* The driver of targets that begin with "scheme:", or NULL. */
const struct driver *driver_find(const char *scheme);

/* Whether this build has the driver; if not, fail with ERR_FEATURE. */
bool driver_is_built(const char *scheme, struct err *err);

/* Open the database at a target. */
bool database_open(const char *target, enum driver_isolation isolation,
                   const char *setup, struct database *out, struct err *err);
void database_close(struct database *db);

/* For drivers that are not in this build: the 'open' that says so. */
bool driver_missing(struct database *db, struct err *err);

/* For drivers: note a failure and return its outcome. */
enum outcome outcome_set(struct connection *c, enum outcome outcome,
                         const char *code, const char *message);

#endif
