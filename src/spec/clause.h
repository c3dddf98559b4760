/* clause.h -- the parts of statements: conditions, expressions, lists.
 *
 * Each function steps over its part and returns whether it was understood;
 * where it was not, the parser's refusal says why.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_CLAUSE_H
#define SPEC_CLAUSE_H

#include "spec/statement.h"

/* The name of a table that rows can be followed in. */
bool clause_table(struct parser *p, const table_vec *tables,
                  const struct spec_table **out);

/* A column, alone or behind the table's name, and its number. */
bool clause_column(struct parser *p, const struct spec_table *t, uint32_t *out);

/* "where KEYS", or nothing. */
bool clause_keys(struct parser *p, struct spec_statement *s);

/* An expression, up to a comma, a closing parenthesis or 'where' outside of
 * parentheses; the columns in it are added, or refused where 'columns' is
 * NULL. */
bool clause_expression(struct parser *p, const struct spec_table *t,
                       u32_vec *columns);

/* What a select returns, up to 'from', of a table that is named only then;
 * *aggregates says whether it counts or sums. */
bool clause_items(struct parser *p, const struct spec_table *t,
                  u32_vec *columns, bool *aggregates);

/* "order by c, ..." and "for update ..." or nothing; *locks says whether. */
bool clause_order(struct parser *p, const struct spec_table *t,
                  u32_vec *columns, bool *orders);
bool clause_lock(struct parser *p, bool *locks);

/* Add a number that is not there yet. */
void clause_add_column(u32_vec *columns, uint32_t column);
bool clause_has_column(const u32_vec *columns, uint32_t column);

#endif
