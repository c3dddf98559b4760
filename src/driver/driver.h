/* driver.h -- databases behind one table of functions.
 *
 * A driver opens a database, connects sessions to it, and runs transactions of
 * reads, writes and appends on numbered keys.  The drivers of SQL databases
 * also run SQL.  Each call has one of four outcomes, which is all that callers
 * need to know about errors.
 *
 * A database is shared by the threads of all sessions.  A connection belongs to
 * the thread of one session.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_DRIVER_H
#define DRIVER_DRIVER_H

#include "base/buf.h"
#include "driver/sockets.h"
#include "driver/url.h"
#include "level/level.h"

#include <stdatomic.h>

enum outcome {
    OUTCOME_OK,
    OUTCOME_ABORTED, // rolled back by the database; may be tried again
    OUTCOME_FAILED,  // the statement was refused; the caller should roll back
    OUTCOME_LOST,    // the connection is lost; the outcome of a commit is
                     // not known
};

/* The isolation that a session requests from the server; not to be confused
 * with the level that its history is checked against. */
enum driver_isolation {
    ISOLATION_UNCHANGED, // the server's default
    ISOLATION_READ_UNCOMMITTED,
    ISOLATION_READ_COMMITTED,
    ISOLATION_REPEATABLE_READ,
    ISOLATION_SERIALIZABLE,
    ISOLATIONS
};

/* Several of them: sessions take them in turn. */
struct isolation_mix {
    enum driver_isolation at[ISOLATIONS];
    size_t n; // 0: all sessions request the same
};

/* SQL for each connection, or none.  Of several texts the sessions take one
 * each, in turn. */
struct session_setups {
    const char *const *at; // borrowed
    size_t n;
};

/* As in SQL, "repeatable read"; "" for ISOLATION_UNCHANGED. */
extern const char *const driver_isolation_names[ISOLATIONS];

/* Parse a name, with '-' or ' ' between the words, in any case. */
bool driver_isolation_parse(const char *text, enum driver_isolation *out);

/* The isolation to request from a server that should satisfy the level. */
enum driver_isolation driver_isolation_for(enum level level);

/* How the row of a key is found, in SQL databases. */
enum driver_access {
    ACCESS_KEY,   // by the primary key
    ACCESS_INDEX, // by a column with an index of its own, which equals the key
    ACCESS_RANGE, // as the only row of a range of primary keys
    ACCESS_SCAN,  // by an expression that no index serves
    ACCESSES
};

extern const char *const driver_access_names[ACCESSES]; // "key"

/* Parse names that are separated by commas, as a set of bits. */
bool driver_access_parse(const char *text, unsigned *out);

/* The result of a statement: n rows of 'width' cells each.  All-zero is
 * empty. */
struct result_cell {
    size_t at, n; // in 'text'
    bool is_null;
};

struct result_rows {
    size_t n, width;
    VEC(struct result_cell) cells;
    struct buf text;
    struct buf names; // of the columns, each with a zero byte; or empty: only
                      // drivers of PostgreSQL's protocol know them
};

void result_rows_clear(struct result_rows *r);
void result_rows_free(struct result_rows *r);

/* Append a cell to the last row; a NULL pointer is SQL's NULL. */
void result_rows_add(struct result_rows *r, const char *text, size_t n);

/* The text of a cell; "" for NULL and if there is no such cell, because the
 * server decides how many rows and columns an answer has. */
const char *result_rows_get(const struct result_rows *r, size_t row,
                            size_t column);

/* Whether a cell is NULL or does not exist. */
bool result_rows_is_null(const struct result_rows *r, size_t row,
                         size_t column);

struct driver;
struct dialect; // driver/sql/sql.h

/* The type of a key's value: an integer, or a list of integers, kept as text or
 * in a column of the database's array type. */
enum key_kind { KEYS_REGISTERS, KEYS_LISTS, KEYS_ARRAYS };

enum { DRIVER_DETOURS = 9 }; // the first nodes can have one

struct database {
    const struct driver *driver;
    struct url url;
    enum driver_isolation isolation;
    struct isolation_mix mix; // instead of 'isolation', if it has any
    struct session_setups setups;
    const char *index;        // the kind of the second index, or NULL; borrowed
    enum key_kind keys;       // the type of the loaded keys
    VEC(const char *) tables; // names of the tables that were made
    struct connection *claim; // keeps other runs from these tables; or NULL
    size_t nodes;             // at least 1
    void *self;               // private to the driver
    char note[128];           // product and version, for people
    atomic_bool is_gone;      // for good: connecting again cannot succeed
    struct sockets sockets;   // of connections, in drivers that have them
    // 1 + the node that the sessions of a node use instead of it; or 0.
    atomic_size_t detours[DRIVER_DETOURS];
};

enum { DRIVER_CODE = 32 }; // bytes of an error code, as text

/* Takes what a connection and its server say to each other, in order: the
 * letter of the message in PostgreSQL's protocol and what it says.
 *
 *     from   letter
 *     '>'    Q  SQL that is sent, with the zero byte at its end
 *     '<'    N  the detail of a notice of ours (DRIVER_NOTICE)
 *            C  the tag of a statement that has ended
 *            I  an empty statement has ended
 *            E  code and message of an error
 *            S  the name of a setting and its value, each with a zero byte
 *            Z  the answer is whole: I, T or E as the state of the transaction
 */
struct driver_tap {
    void *self;
    uint32_t number; // of the connection, for 'take'
    char state;      // the last Z, for the tap
    uint64_t done;   // statements that ended, without those that only begin or
                     // end transactions; for the tap
    uint64_t writes; // of them, those whose tag says that they write rows
    void (*take)(struct driver_tap *tap, char from, char letter,
                 const char *body, size_t n);
};

struct connection {
    const struct driver *driver;
    struct database *database;
    uint32_t session;
    size_t place;  // the node that was asked for
    size_t node;   // the node that it is, by a detour perhaps another one
    size_t detour; // of 'place', when the connection was made
    enum driver_access access; // of the next read, write or append
    bool is_read_only;         // the node refuses writes
    bool no_row; // the last read of a register or list found no row for it
    uint64_t server_id;     // the server's id of this connection
    int socket;             // in 'sockets' of the database, if in any
    uint64_t changed;       // rows that the last statement wrote
    char code[DRIVER_CODE]; // error code of the last outcome that was not OK
    char message[256];      // and the server's message
    char statement[200];    // the statement or request that failed; or ""
    // Takes the notices of triggers that record changes, each with a zero byte
    // at its end; NULL: they are ignored.
    struct buf *notices;
    // Drivers of PostgreSQL's protocol only, and NULL otherwise; borrowed.
    struct driver_tap *tap;
};

// The message of a notice that is kept; its detail is what is kept.
#define DRIVER_NOTICE "assay"

/* The result of reading a register or a cell: nothing, or an integer. */
struct driver_read {
    bool has_value;
    int64_t value;
    int64_t author; // if cells have authors; 0: not written yet
};

typedef VEC(int64_t) int_vec;

/* A table of cells: the key of a row is an integer, and so are the values of
 * all columns. */
struct table_shape {
    const char *name;
    const char *const *columns;
    const int64_t *initial; // values of the initial rows, one per column;
                            // NULL: no values
    size_t n_columns;
    uint64_t rows; // the initial rows are 0 .. rows-1
    // Each value is stored with the number of its writer, which is not 0, so
    // that different transactions may write the same value.
    bool has_authors;
};

struct cell_place {
    const struct table_shape *table;
    uint64_t row;
    size_t column;
};

struct driver {
    const char *scheme, *form, *help;
    const struct dialect *sql; // the SQL dialect; NULL if it has no SQL

    /* Open what db->url names and fill in nodes, self and note. */
    bool (*open)(struct database *db, struct err *err);
    void (*close)(struct database *db);

    /* Make the keys 0..keys-1, all without a value. */
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
     * connection is lost.  A key whose row is missing reads as a key without a
     * value.  Writing it does nothing, and *is_missing is set. */
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
     * NULL.  NULL if the database has no SQL. */
    enum outcome (*query)(struct connection *c, const char *sql,
                          struct result_rows *out);

    /* The text of a value that is given in the binary form of its type, which
     * has a number; NULL if the protocol has no such form. */
    enum outcome (*decode)(struct connection *c, uint32_t type, const char *at,
                           size_t n, struct result_rows *out);
};

extern const struct driver *const driver_table[]; // ends with NULL

/* The driver of targets that begin with "scheme:", or NULL. */
const struct driver *driver_find(const char *scheme);

/* Whether this build has the driver; if not, fail with ERR_FEATURE. */
bool driver_is_built(const char *scheme, struct err *err);

/* Open the database at a target.  'setups' may be NULL. */
bool database_open(const char *target, enum driver_isolation isolation,
                   const struct session_setups *setups, struct database *out,
                   struct err *err);
void database_close(struct database *db);

/* Lead the sessions of a place to a node, or with SIZE_MAX to their own; they
 * go there for their next transaction. */
void database_lead(struct database *db, size_t place, size_t node);

/* Set the place, node and detour of a connection that is to be made. */
void connection_route(struct connection *c, size_t place);

/* Whether sessions of its place are led elsewhere by now. */
bool connection_is_diverted(const struct connection *c);

/* The isolation that a session requests. */
enum driver_isolation database_isolation(const struct database *db,
                                         uint32_t session);

/* The SQL that a session begins with, or NULL. */
const char *database_setup(const struct database *db, uint32_t session);

/* 'open' of a driver that is not in this build; it fails. */
bool driver_missing(struct database *db, struct err *err);

/* For drivers: record a failure and return its outcome. */
enum outcome outcome_set(struct connection *c, enum outcome outcome,
                         const char *code, const char *message);

/* For drivers: record the statement whose failure was recorded. */
enum outcome outcome_of(struct connection *c, enum outcome outcome,
                        const char *statement);

#endif
