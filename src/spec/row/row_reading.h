/* row_reading.h -- the reads of a statement: its condition, its joins.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_READING_H
#define SPEC_ROW_ROW_READING_H

#include "spec/row/row_statement.h"
#include "spec/row/sql_tree.h"

/* A statement while it is being understood. */
struct row_reading {
    const struct watched *watched;
    struct arena *arena;
    const char *text;
    token_vec tokens;
    struct sql_tree tree;
    struct row_statement *out;
    struct refusal *refusal;
};

/* Refuse because of what is at this byte of the text; return false. */
__attribute__((format(printf, 3, 4))) bool
row_reading_refuse(struct row_reading *r, int at, const char *format, ...);

/* Note that this is not recorded; the first note is kept. */
void row_reading_leave_out(struct row_reading *r, const char *what);

/* The condition of a statement about one table, which the text has between
 * 'where', somewhere after this byte, and one of the words or its end. */
bool row_reading_condition(struct row_reading *r, const PgQuery__RangeVar *v,
                           const PgQuery__Node *where, int from,
                           const char *const *ends);

bool row_reading_select(struct row_reading *r, const PgQuery__SelectStmt *s);
bool row_reading_merge(struct row_reading *r, const PgQuery__MergeStmt *s);

#endif
