/* table.h -- the tables of a specification, from their 'create table'.
 *
 * A row is identified by its primary key: one column of an integer type or, if
 * texts are equal only if their bytes are, of a text type.  A table without
 * such a key has a flaw.  So does a table that does more than store rows
 * (foreign keys, checks, other unique columns, inheritance, generated columns).
 * Statements about a table with a flaw are refused.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SQL_TABLE_H
#define SPEC_SQL_TABLE_H

#include "spec/sql/token.h"

enum key_type { KEY_NONE, KEY_INTEGER, KEY_TEXT };

struct spec_table {
    const char *name;
    text_vec columns; // in lower case
    size_t key;       // the column that is the primary key
    enum key_type key_type;
    const char *flaw; // why statements about it are refused; NULL: none
};

typedef VEC(struct spec_table) table_vec;

/* Refuse the statement if a table that it names has a flaw. */
const struct spec_table *table_find(struct parser *p, const table_vec *tables,
                                    const char *name);

/* The column of that name in lower case; columns.n if there is none. */
size_t table_column(const struct spec_table *t, const char *name);

/* Skip a literal of the key's type and return the value in the notation of the
 * database. */
bool table_take_key(struct parser *p, const struct spec_table *t,
                    const char **out);

void tables_free(table_vec *tables);

#endif
