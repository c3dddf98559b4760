/* sql.h -- reads, writes and appends in SQL, over a driver's 'query'.
 *
 * Keys are the rows of one table: assay_kv (assay_key, v) for registers, with v
 * an integer or NULL; assay_list (assay_key, v) for lists, with v the elements
 * as text, separated and preceded by commas, or an array.  Tables of cells,
 * named assay_..., have their key in a column assay_key too; the author of
 * column c, where there are authors, is in a column c_by.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DRIVER_SQL_H
#define DRIVER_SQL_H

#include "driver/driver.h"

/* How databases differ in where a statement ends. */
enum {
    LEXIS_DOLLARS = 1,     // $tag$ ... $tag$, and E'...' with backslashes
    LEXIS_BACKSLASHES = 2, // escape in every string
    LEXIS_HASHES = 4,      // begin a comment, and "--" only before a blank
    LEXIS_NESTING = 8,     // comments nest
    LEXIS_BRACKETS = 16,   // quote names
};

/* What databases say in different ways.  In patterns "%s" stands for what the
 * comment names; NULL where a database has no such thing. */
struct dialect {
    const char *set_isolation;   // a level
    const char *get_isolation;   // a query whose last column is the level
    const char *is_read_only;    // a query for 0 or 1
    const char *append;          // column v, text, with an element at its end
    const char *array;           // a type for lists of integers
    const char *append_to_array; // column v of that type, with an element
    const char *upsert;          // insert ... or assign instead
    const char *waits;           // a query for another connection: more
                                 // than 0 where a connection, given by its
                                 // server_id, waits for a lock
    const char *clients;         // a query for the server_ids of others
    const char *cut;             // cut one of them off
    const char *lock_timeout;    // wait for the lock of a table a few seconds
    unsigned lexis;              // LEXIS_ flags
};

/* Append a pattern with every "%s" replaced. */
void sql_fill(struct buf *out, const char *pattern, const char *text);

/* What a new connection needs: ask for the isolation and read back what the
 * server makes of it, see whether it takes writes, and run the setup.  Hand it
 * out, or disconnect and fail. */
bool sql_prepare(struct connection *c, struct connection **out,
                 struct err *err);

/* The rows of a driver's table that are the same for all. */
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

/* How many bytes the first statement of a text has, up to the semicolon that
 * ends it or the end of the text: not one in a string, a quoted name or a
 * comment.  *is_blank: there is nothing but blanks and comments. */
size_t sql_statement(const char *text, unsigned lexis, bool *is_blank);

/* Run every statement of a text, separated by semicolons; fail with the
 * server's message at the first that is refused. */
bool sql_run(struct connection *c, const char *text, struct err *err);

/* Run one statement or fail with the server's message. */
bool sql_must(struct connection *c, const char *sql, struct result_rows *out,
              struct err *err);

/* "1,2,3", with or without a comma in front or braces around, as integers;
 * false where it is something else. */
bool sql_int_list_parse(const char *text, int_vec *out);

#endif
