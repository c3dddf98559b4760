/* row_dialect.h -- what differs between databases where rows are recorded.
 *
 * Each database names versions and tells changes in its own way:
 *
 *     PostgreSQL  versions are named by tableoid, ctid and xmin; triggers raise
 *                 notices (watched.c)
 *     SQLite      triggers number versions in a table beside each table, and
 *                 tell changes by a function of the driver (row_sqlite.c)
 *     MariaDB     triggers number versions in an invisible column, and tell
 *                 changes in a variable of the session (row_mariadb.c)
 *     DuckDB      tables are compared before and after each statement, and
 *                 versions are logged in a table (row_duckdb.c)
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_DIALECT_H
#define SPEC_ROW_ROW_DIALECT_H

#include "spec/row/watched.h"

struct row_compare_sql;

struct row_dialect {
    const char *scheme;
    const char *able;          // a query; it returns a row if rows can be
                               // recorded
    bool folds;                // names ignore case
    bool has_row_values;       // the name of a table is one
    bool has_writing_with;     // a change may be in WITH, beside selects of the
                               // same snapshot (row_inner.c)
    const char *prepare;       // for each session, or NULL
    const char *begin;         // begins a transaction that reads all tables
    const char *order;         // of the rows of a table 't'
    const char *drop;          // the end of "drop table if exists t"
    const char *union_part;    // before "(select ...)" in a union
    const char *replace;       // why REPLACE is refused, or NULL
    const char *settings;      // a query for names and values of settings that
                               // statements depend on, each with the value
                               // that it must have, or ''; NULL: none
    bool tells_replaced;       // the version before a write is the one that it
                               // replaced, not one of a snapshot
    bool waits_for_rows;       // a statement that waited for a row reads its
                               // latest version, not that of its snapshot
    const char *const *places; // columns that a row has only where it is

    /* watched_read, watched_install and watched_remove. */
    bool (*read)(struct connection *c, const struct watched *before,
                 struct watched *out, struct err *err);
    bool (*install)(const struct watched *w, struct connection *c,
                    struct err *err);
    void (*remove)(const struct watched *w, struct connection *c);

    /* Append the name of a column; NULL: PostgreSQL's way. */
    void (*put_name)(struct buf *sql, const char *name);

    /* Append expressions for the name of the version that 'row', an alias, has,
     * which is NULL if there is no row, and for its values. */
    void (*put_row)(struct buf *sql, const struct watched *w, uint32_t table,
                    const char *row);

    /* For all versions of a table at once, after the run. */
    const struct row_versions_sql *versions;

    /* Where there are no triggers (row_compare.h); otherwise NULL. */
    const struct row_compare_sql *compare;

    // Types besides integers that are compared as numbers, or NULL.
    const char *const *numbers;

    // Two transactions may update different columns of one row, and both
    // commit.  What is left is a version that nobody made, so such an
    // interleaving is refused, unless one of the updates is lost.
    bool merges_columns;
};

/* SQL for a temporary table of versions.  It has the columns of the table, each
 * with its type and its collation, and before these the key assay_n. */
struct row_versions_sql {
    void (*put_create)(struct buf *sql, const struct watched_table *t);

    /* Append a version's number and values, as in "values (7, ...)". */
    void (*put_version)(struct buf *sql, const struct watched_table *t,
                        size_t n, const char *values);

    /* Append what stands behind "from": a table with assay_n, and one with this
     * alias and the columns; or, without an alias, what the expressions below
     * are about. */
    void (*put_from)(struct buf *sql, const char *alias);

    /* Expressions over its columns, as JSON: the key, and an object of all
     * columns; integers, texts and NULL. */
    void (*put_key)(struct buf *sql, const struct watched_table *t);
    void (*put_shown)(struct buf *sql, const struct watched_table *t);

    /* The integer in one of t->integers, or NULL; the text in one of t->texts,
     * where there are such. */
    void (*put_integer)(struct buf *sql, const char *column);
    void (*put_text)(struct buf *sql, const char *column);

    const char *name; // of the temporary table
};

/* The dialect of a driver, by its scheme; NULL: it records registers. */
const struct row_dialect *row_dialect_of(const char *scheme);

extern const struct row_dialect row_dialect_postgresql, row_dialect_sqlite,
    row_dialect_mariadb, row_dialect_duckdb;
extern const struct row_versions_sql row_versions_postgresql;

/* For the dialects: ask for a part of the schema; run what makes a trigger or a
 * table, and empty the text; whether a column of an answer is "1". */
bool row_dialect_ask(struct connection *c, const char *sql,
                     struct result_rows *out, struct err *err);
bool row_dialect_make(struct connection *c, struct buf *sql, struct err *err);
bool row_dialect_is_one(const struct result_rows *r, size_t i, size_t column);

/* Whether SQL has a word, outside of strings and names in quotes; a name in
 * SQL, with quotes where they are needed. */
bool row_dialect_has_word(const char *scheme, const char *sql,
                          const char *word);
const char *row_dialect_name(struct watched *w, const char *name,
                             void (*put_name)(struct buf *sql,
                                              const char *name));

/* put_version where values are literals, and put_from where the versions are in
 * a table in the schema 'temp' that has the columns themselves. */
void row_dialect_put_version(struct buf *sql, const struct watched_table *t,
                             size_t n, const char *values);
void row_dialect_put_temporary(struct buf *sql, const char *alias);

#endif
