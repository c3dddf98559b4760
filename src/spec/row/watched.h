/* watched.h -- the tables of a specification, asked of the database, and the
 * triggers that tell which rows statements change.
 *
 * A trigger raises a notice for each row that is inserted, updated or deleted,
 * whatever statement, function, cascade or other trigger did it.  Notices reach
 * the session at once, and change nothing in the database.
 *
 * A version of a row is named by its table, its place and the transaction that
 * wrote it: tableoid, ctid and xmin.  No column is added to the tables.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_WATCHED_H
#define SPEC_ROW_WATCHED_H

#include "driver/driver.h"
#include "spec/row/setup_objects.h"
#include "spec/sql/token.h"

#define WATCHED_NONE UINT32_MAX

struct watched_table {
    const char *name; // in SQL, with quotes and schema where they are needed
    const char *schema, *relation;
    bool is_visible;     // without its schema
    const char *refusal; // why statements about it are refused, or NULL
    bool is_partitioned;
    const char *part;      // what they do that is not recorded, or NULL
    bool has_own_triggers; // that may read or write
    bool shows_old_rows;   // triggers see the rows that are changed
    bool may_keep_updates, may_keep_deletes; // triggers may keep rows as they
                                             // are
    bool has_other_unique;                   // indexes besides that of the key
    bool has_conditions;  // an insert may be kept out by other constraints
    bool has_rowid;       // SQLite: rows have numbers, besides their keys
    bool has_row_numbers; // DuckDB: a column that is added names its rows
    bool is_strict;       // SQLite: columns have only values of their types
    text_vec keys;        // columns of the primary key, if it names rows
    text_vec columns;
    text_vec types;    // of the columns; PostgreSQL: none
    text_vec integers; // columns with integers or NULL only; on SQLite other
                       // values may be there, which equal no integer
    text_vec texts;    // columns with texts or NULL only, which are equal if
                       // their bytes are; on SQLite as above
    // MariaDB: whether there are indexes besides that of the key, and the
    // columns that some index has.
    bool has_other_index;
    text_vec indexed;
    text_vec renewed; // MariaDB: columns that an update sets to the time
};

struct row_dialect;
struct row_book;

enum watched_check_kind { WATCHED_UNIQUE, WATCHED_FOREIGN };

/* A unique index, or a foreign key.  Columns are lists in SQL, of expressions
 * in an index; 'where' is a condition that rows must satisfy to be checked. */
#define WATCHED_ALL_ROWS "true"
struct watched_check {
    enum watched_check_kind kind;
    uint32_t table, other; // 'other' is the table that is referred to
    const char *columns, *where;
    const char *other_columns, *other_where;
    const char *other_values; // pairs of name and value, for an object of JSON
    // Instead of the lists, where versions are lists of literals.
    text_vec names, other_names;
    bool is_deferred; // to the end of the transaction
    bool is_by_key;   // it refers to the key that names rows
};

struct watched {
    const struct row_dialect *dialect;
    VEC(struct watched_table) tables;
    setup_objects objects;  // besides tables; PostgreSQL
    text_vec functions;     // names of functions that users have made
    text_vec operators;     // those that call them, where these may read tables
    text_vec checked_types; // the same of types with checks
    VEC(struct watched_check) checks;
    struct row_book *book; // if the database does not name versions, or NULL
    struct arena arena;
};

/* The tables of the database that are not in 'before', which may be NULL.
 *
 *   require  row_dialect_of knows the database */
bool watched_read(struct connection *c, const struct watched *before,
                  struct watched *out, struct err *err);
void watched_free(struct watched *w);

/* A copy of a text that lives as long as the tables. */
const char *watched_copy(struct watched *w, const char *text);

/* Whether a table of that name is among them. */
bool watched_has(const struct watched *w, const char *schema,
                 const char *relation);

/* The table that a statement names, or WATCHED_NONE; schema may be "". */
uint32_t watched_find(const struct watched *w, const char *schema,
                      const char *relation);

/* Make the triggers of all tables; remove what they need with them. */
bool watched_install(const struct watched *w, struct connection *c,
                     struct err *err);
void watched_remove(const struct watched *w, struct connection *c);

/* What stands for the values of a row that JSON does not keep exactly, such as
 * an array that begins at 0 or JSON's own null, or before them. */
#define WATCHED_INEXACT "inexact"

/* Append a literal, or a name in quotes. */
void watched_put_literal(struct buf *sql, const char *text);
void watched_put_name(struct buf *sql, const char *name);

#endif
