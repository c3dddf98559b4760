/* access.h -- which rows and columns a program can touch, seen without running
 * it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_ACCESS_H
#define PROVE_PROGRAM_ACCESS_H

#include "prove/program/ir.h"

/* Whether the condition fixes the whole primary key of a source's row, with
 * expressions that do not depend on that row.  They are put into 'keys' (where
 * it is not NULL), one for each column of the key. */
bool access_where_fixes_key(const struct expr *where, uint32_t source,
                            const struct table *t, const struct expr **keys);

/* Whether the expression mentions a column of the source. */
bool expr_uses_source(const struct expr *e, uint32_t source);

/* Whether evaluating the expression reads tables. */
bool expr_has_query(const struct expr *e);

/* Whether finding the rows that an INSERT adds to t reads tables. */
bool statement_has_query(const struct statement *s, const struct table *t);

/* Columns as bits; whether rows appear or vanish is bit ACCESS_ROWS.  Tables
 * have at most ACCESS_ROWS columns. */
enum { ACCESS_ROWS = 63 };

struct access {
    uint64_t *reads, *writes; // of each table
};

/* What the function may read and write; to be freed. */
void access_init(struct access *a, const struct program *p,
                 const struct function *f);
/* What one of its statements may, without those inside of it. */
void access_init_statement(struct access *a, const struct program *p,
                           const struct function *f, const struct statement *s);
void access_free(struct access *a);

/* Whether a may read something that b writes. */
bool access_reads_from(const struct program *p, const struct access *a,
                       const struct access *b);
/* Whether it may take away what made a constraint refuse another's row: it
 * deletes rows, or changes columns of a UNIQUE constraint or a foreign key. */
bool access_makes_room(const struct program *p, const struct function *f);
/* Whether there are programs that delete rows of the table, and such that
 * insert them again. */
bool access_can_replace(const struct program *p, uint32_t table);
/* Whether a statement other than INSERT reads rows of the table. */
bool access_looks_at(const struct program *p, const struct function *f,
                     uint32_t table);

/* Columns, as bits, that the statement does not set and that a CHECK joins with
 * one it sets: their values decide whether it fails. */
uint64_t access_checked(const struct table *t, const struct statement *s);

/* Whether some way through the function does not end in RAISE, as far as the
 * statements alone tell. */
bool access_can_commit(const struct function *f);

#endif
