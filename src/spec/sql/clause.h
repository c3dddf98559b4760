/* clause.h -- the parts of statements: conditions, expressions, lists.
 *
 * Each function skips its part and returns whether it was understood.  If not,
 * the parser's refusal says why.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SQL_CLAUSE_H
#define SPEC_SQL_CLAUSE_H

#include "spec/sql/statement.h"

/* The name of a table without a flaw. */
bool clause_table(struct parser *p, const table_vec *tables,
                  const struct spec_table **out);

/* A column, alone or after the table's name, and its number. */
bool clause_column(struct parser *p, const struct spec_table *t, uint32_t *out);

/* "where KEYS", or nothing. */
bool clause_keys(struct parser *p, struct spec_statement *s);

/* An expression, up to a comma, a closing parenthesis or 'where' outside of
 * parentheses.  Its columns are added to 'columns', or refused if that is
 * NULL. */
bool clause_expression(struct parser *p, const struct spec_table *t,
                       u32_vec *columns);

/* The items of a select, up to 'from'.  The table is named only after that.
 * *aggregates is set if the items are aggregates. */
bool clause_items(struct parser *p, const struct spec_table *t,
                  u32_vec *columns, bool *aggregates);

/* "order by c, ..." and "for update ...", or nothing; *locks: it locks. */
bool clause_order(struct parser *p, const struct spec_table *t,
                  u32_vec *columns, bool *orders);
bool clause_lock(struct parser *p, bool *locks);

/* Add a number unless the vector has it. */
void clause_add_column(u32_vec *columns, uint32_t column);
bool clause_has_column(const u32_vec *columns, uint32_t column);

#endif
