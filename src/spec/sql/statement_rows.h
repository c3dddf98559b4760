/* statement_rows.h -- statements that read or write rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SQL_STATEMENT_ROWS_H
#define SPEC_SQL_STATEMENT_ROWS_H

#include "spec/sql/statement.h"

/* Understand a statement after its first word; false, with p's refusal set, if
 * it is refused. */
bool statement_select(struct parser *p, const table_vec *tables,
                      struct spec_statement *out);
bool statement_insert(struct parser *p, const table_vec *tables,
                      struct spec_statement *out);
bool statement_update(struct parser *p, const table_vec *tables,
                      struct spec_statement *out);
bool statement_delete(struct parser *p, const table_vec *tables,
                      struct spec_statement *out);

#endif
