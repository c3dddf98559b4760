/* sql.h -- reads, writes and appends in SQL, over a driver's 'query'.
 *
 * Keys are the rows of one table.  Registers are in assay_kv (assay_key, v),
 * where v is an integer or NULL.  Lists are in assay_list (assay_key, v), where
 * v is an array, or the elements as text, each preceded by a comma.  Tables of
 * cells are named assay_... and also have their key in a column assay_key.  If
 * cells have authors, the author of column c is in a column c_by.
 *
 * For access by another index the tables of registers and lists have a column
 * assay_alt, which equals the key or, for a gin index, is an array of it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_SQL_SQL_H
#define DRIVER_SQL_SQL_H

#include "driver/driver.h"

/* Lexical differences that decide where a statement ends. */
enum {
    LEXIS_DOLLARS = 1,     // $tag$ ... $tag$, and E'...' with backslashes
    LEXIS_BACKSLASHES = 2, // backslashes escape in every string
    LEXIS_HASHES = 4,      // '#' begins a comment; "--" needs a blank
    LEXIS_NESTING = 8,     // comments nest
    LEXIS_BRACKETS = 16,   // brackets quote names
};

/* Which statements return the rows that they changed. */
enum {
    RETURNING_UPDATES = 1,
    RETURNING_DELETES = 2,
    RETURNING_ONE_DELETE = 4, // if it deletes at most one
};

/* The SQL that differs between databases.  "%s" stands for the argument that
 * the comment names.  NULL if the database has no such feature. */
struct dialect {
    const char *name;            // of the product, "postgresql"
    const char *set_isolation;   // %s: a level
    const char *get_isolation;   // a query whose last column is the level
    const char *settings;        // a query for names and values to report
    const char *is_read_only;    // a query for 0 or 1
    const char *append;          // column v, a text, with an element appended
    const char *array;           // a type for lists of integers
    const char *append_to_array; // the same for column v of that type
    const char *upsert;          // insert ... or assign instead, or NULL
    bool has_matching;           // then: 'update or insert ... matching'
    const char *text;            // a type for long texts, where not 'text'
    bool inserts_one_row;        // an insert has the values of one row
    const char *waits;           // a query for another connection: more
                                 // than 0 if a connection, given by its
                                 // server_id, waits for a lock
    const char *own_id;          // a query for the server_id of a connection,
                                 // where the driver does not know it
    const char *clients;         // a query for the server_ids of others
    const char *cut;             // close one of them
    const char *lock_timeout;    // wait only seconds for the lock of a table
    const char *indexes;         // the kinds of indexes besides "btree", each
                                 // between blanks
    const char *use_index;       // prefer indexes to scans
    unsigned lexis;              // LEXIS_ flags
    unsigned returning;          // RETURNING_ flags
    const char *snapshot;        // a query that takes the snapshot and reads
                                 // nothing; NULL: it takes one of a table
    const char *snapshot_read_only;     // the same for a transaction that only
                                        // reads, where that differs
    const char *begin_read_only;        // begin a transaction that only reads
    const char *for_update, *for_share; // of a select that locks its rows
    bool has_savepoints;
    const char *before_check; // what 'check' needs; if it fails, there is none
    const char *check;        // %s: a table, without its "assay_"; fails if
                              // stored data are damaged
    bool check_says_ok;       // or answers something else than ok
    const char *scan_only;    // use no index, and use them where possible, of
    const char *index_only;   // the connection; NULL: cannot be chosen
    bool cannot_record;       // rows, because reports of triggers do not arrive
    const char *claim; // a query: 0 if another connection has claimed the
                       // tables of this program, else they are this
                       // connection's until it ends
};

extern const struct dialect dialect_postgresql, dialect_mariadb, dialect_sqlite,
    dialect_duckdb, dialect_firebird, dialect_other;

/* The dialect of a product by its name, or NULL. */
const struct dialect *dialect_find(const char *name);

/* A driver that learns the dialect of its database when it opens it: a copy of
 * both, which the driver may change and gives to the database. */
struct sql_variant {
    struct driver driver;
    struct dialect dialect;
};

void sql_variant_init(struct sql_variant *v, const struct driver *driver,
                      const struct dialect *dialect);

/* Whose SQL a driver speaks, "postgresql"; its scheme if it has no SQL. */
const char *sql_product(const struct driver *driver);

enum { SQL_CONDITION = 128 }; // bytes

/* The condition that the row of a key satisfies, and no other, for the access
 * that the connection has chosen. */
const char *sql_find_row(const struct connection *c, uint64_t key,
                         char out[SQL_CONDITION]);

/* Append a pattern with every "%s" replaced. */
void sql_fill(struct buf *out, const char *pattern, const char *text);

/* Whether an index is one of arrays. */
bool sql_index_is_gin(const char *index);

/* Prepare a new connection: request the isolation, read back what the server
 * set, find out whether it accepts writes, and run the setup.  On failure the
 * connection is closed. */
bool sql_prepare(struct connection *c, struct connection **out,
                 struct err *err);

/* The members of a driver that are the same for all SQL databases. */
#define SQL_TRANSACTIONS                                                       \
    .load = sql_load, .load_table = sql_load_table, .unload = sql_unload,      \
    .begin = sql_begin, .read = sql_read, .write = sql_write,                  \
    .append = sql_append, .read_list = sql_read_list,                          \
    .read_cell = sql_read_cell, .write_cell = sql_write_cell,                  \
    .commit = sql_commit, .abort = sql_abort

bool sql_load(struct database *db, uint64_t keys, enum key_kind kind,
              struct err *err);
bool sql_load_table(struct database *db, const struct table_shape *table,
                    struct err *err);
bool sql_unload(struct database *db, struct err *err);
enum outcome sql_begin(struct connection *c);
enum outcome sql_read(struct connection *c, uint64_t key,
                      struct driver_read *out);
enum outcome sql_write(struct connection *c, uint64_t key, int64_t value,
                       bool *is_missing);
enum outcome sql_append(struct connection *c, uint64_t key, int64_t element,
                        bool *is_missing);
enum outcome sql_read_list(struct connection *c, uint64_t key, int_vec *out);
enum outcome sql_read_cell(struct connection *c, const struct cell_place *at,
                           struct driver_read *out);
enum outcome sql_write_cell(struct connection *c, const struct cell_place *at,
                            int64_t value, int64_t author, bool *is_missing);
enum outcome sql_commit(struct connection *c);
enum outcome sql_abort(struct connection *c);

/* How many bytes the first statement of a text has.  It ends at the end of the
 * text or at a semicolon outside strings, quoted names and comments. *is_blank:
 * it consists of blanks and comments. */
size_t sql_statement(const char *text, unsigned lexis, bool *is_blank);

/* Run every statement of a text, separated by semicolons; fail with the
 * server's message at the first that is refused. */
bool sql_run(struct connection *c, const char *text, struct err *err);

/* Run one statement or fail with the server's message. */
bool sql_must(struct connection *c, const char *sql, struct result_rows *out,
              struct err *err);

/* Parse "1,2,3", ",1,2,3" or "{1,2,3}" as integers; false if it is something
 * else. */
bool sql_int_list_parse(const char *text, int_vec *out);

#endif
