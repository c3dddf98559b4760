/* print.h -- values, rows and statements as SQL text.
 *
 * A statement is printed as it runs: variables are replaced by their values,
 * generated values are written out.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_EXECUTE_PRINT_PRINT_H
#define PROVE_EXECUTE_PRINT_PRINT_H

#include "base/buf.h"
#include "prove/execute/run/run.h"

void print_value(struct buf *out, const struct program *p, enum value_type type,
                 struct datum d);

/* The name of a table or column, in quotes where PostgreSQL needs them. */
void print_name(struct buf *out, const char *name);

/* A row in parentheses, or only its key; a hidden key is left out. */
void print_row(struct buf *out, const struct program *p, uint32_t table,
               const struct datum *row, bool only_key);

/* "name(1, 'x')". */
void print_call(struct buf *out, const struct program *p,
                const struct instance *t);

/* The statement of SQL that runs with these variables; of IF, RETURN and so on
 * the SELECT of its expression.  'innodb': in the words of MariaDB, where it
 * has others. */
void print_statement(struct buf *out, const struct program *p,
                     const struct instance *t, const struct statement *s,
                     const struct datum *variables, const uint32_t *used,
                     bool innodb);

/* CREATE TABLE, with this type for texts, and the rows of a state as INSERT has
 * them. */
void print_table(struct buf *out, const struct program *p, uint32_t table,
                 const char *text);
void print_rows(struct buf *out, const struct dataset *s, uint32_t table);

#endif
