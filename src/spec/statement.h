/* statement.h -- as much SQL as is needed to know what a statement reads and
 * writes.
 *
 * A specification's statements touch one table each:
 *
 *     select ... from T ...           insert into T [(columns)] values (...)
 *     update T set c = ... [where]    delete from T [where]
 *     begin [isolation level ...]     commit     rollback
 *
 * Anything else is run and leaves no trace in the history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_STATEMENT_H
#define SPEC_STATEMENT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

enum statement_kind {
    STATEMENT_OTHER,
    STATEMENT_BEGIN,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_SELECT,
    STATEMENT_INSERT,
    STATEMENT_UPDATE,
    STATEMENT_DELETE,
};

typedef VEC(const char *) text_vec;

/* A table of the specification, by its 'create table'. */
struct table {
    const char *name;
    text_vec columns;
    size_t key; // the column that is the primary key
};

typedef VEC(struct table) table_vec;

struct statement {
    enum statement_kind kind;
    const char *text;          // as written
    const char *isolation;     // BEGIN: "serializable", or ""
    const struct table *table; // of the last four kinds; NULL: not known
    const char *rest;          // SELECT: what follows the table's name
    const char *condition;     // UPDATE, DELETE: what follows "where", or ""
    text_vec columns;          // UPDATE, INSERT: to be written
    text_vec values;           // as SQL; for each row of an INSERT, all of them
};

/* Cut a text at the semicolons that are not in quotes. */
void statements_split(const char *text, struct arena *arena, text_vec *out);

/* Note the table that a 'create table' makes; nothing for other statements. */
void table_learn(const char *sql, struct arena *arena, table_vec *tables);

/* Understand a statement. */
void statement_parse(const char *sql, const table_vec *tables,
                     struct arena *arena, struct statement *out);
void statement_free(struct statement *s);
void tables_free(table_vec *tables);

/* Whether an expression is a number or a string, and its value as text. */
bool is_literal(const char *sql, struct arena *arena, const char **value);

/* The values of the primary key that a condition of the forms "id = 1" and
 * "id in (1, 2)" names; false for other conditions. */
bool condition_keys(const char *condition, const char *column,
                    struct arena *arena, text_vec *out);

#endif
