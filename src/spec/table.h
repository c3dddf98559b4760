/* table.h -- the tables of a specification, by their 'create table'.
 *
 * A row is followed by its primary key: one column of an integer type or,
 * where texts are equal only when their bytes are, of a text type.  A table
 * that has none, or that does more than hold what is put into it (foreign
 * keys, checks, uniqueness elsewhere, inheritance, generated columns), has a
 * flaw, and statements about it are refused.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_TABLE_H
#define SPEC_TABLE_H

#include "spec/token.h"

enum key_type { KEY_NONE, KEY_INTEGER, KEY_TEXT };

struct spec_table {
    const char *name;
    text_vec columns; // in lower case
    size_t key;       // the column that is the primary key
    enum key_type key_type;
    const char *flaw; // why its rows cannot be followed; NULL: they can
};

typedef VEC(struct spec_table) table_vec;

/* Refuse the statement where a table that it names has a flaw. */
const struct spec_table *table_find(struct parser *p, const table_vec *tables,
                                    const char *name);

/* The column of that name in lower case; columns.n where there is none. */
size_t table_column(const struct spec_table *t, const char *name);

/* Step over a literal of the key's type and give the value as the database
 * would show it. */
bool table_take_key(struct parser *p, const struct spec_table *t,
                    const char **out);

void tables_free(table_vec *tables);

#endif
