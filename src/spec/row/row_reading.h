/* row_reading.h -- the reads of a statement: its condition, its joins.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_READING_H
#define SPEC_ROW_ROW_READING_H

#include "spec/row/row_statement.h"
#include "spec/row/row_syntax.h"
#include "spec/row/sql_tree.h"

/* Where a select inside of a statement is, and the name of its table: bytes of
 * the text. */
struct row_inner {
    ptrdiff_t from, to;
    ptrdiff_t table, after;
    const char *alias; // if the text has none
};

/* A statement while it is being understood. */
struct row_reading {
    const struct watched *watched;
    struct arena *arena;
    const char *written; // the statement
    const char *text;    // the same in PostgreSQL's words (row_syntax.h)
    token_vec tokens;    // of 'text'
    struct row_syntax syntax;
    struct sql_tree tree;
    VEC(struct row_statement) selects; // inside of it (row_inner.c)
    VEC(struct row_inner) inner;       // where they are
    struct row_statement *out;
    struct refusal *refusal;
};

/* Refuse because of what is at this byte of the text; return false. */
__attribute__((format(printf, 3, 4))) bool
row_reading_refuse(struct row_reading *r, int at, const char *format, ...);

/* Note that this is not recorded; the first note is kept. */
void row_reading_leave_out(struct row_reading *r, const char *what);

/* Whether a token is this word, in any case and without quotes. */
bool row_reading_is_word(const struct token *t, const char *word);

/* The first of some words outside of parentheses, from a token on; the last
 * token, TOKEN_END, if there is none. */
size_t row_reading_find_word(const struct row_reading *r, size_t from,
                             const char *const *words);

/* The first token at or after a byte. */
size_t row_reading_token_at(const struct row_reading *r, int at);

/* What is written from one token up to another, which is left out. */
const char *row_reading_text(struct row_reading *r, size_t from, size_t to);

/* The name that a statement has for the rows of a table, in SQL. */
const char *row_reading_alias(struct row_reading *r,
                              const PgQuery__RangeVar *v);

/* The condition of a statement about one table, which the text has between
 * 'where', somewhere after this byte, and one of the words or its end. */
bool row_reading_condition(struct row_reading *r, const PgQuery__RangeVar *v,
                           const PgQuery__Node *where, int from,
                           const char *const *ends);

/* Note which equalities the condition implies. */
void row_reading_equalities(struct row_reading *r, const PgQuery__Node *where);

/* Read the selects in expressions; false if not all of them can be recorded
 * completely.  One without tables reads nothing. */
bool row_inner_read(struct row_reading *r);

/* The same for one select, given by its tokens. */
bool row_inner_add(struct row_reading *r, const ProtobufCMessage *select,
                   size_t begin, size_t end);

/* The same for all rows of a table. */
bool row_inner_add_table(struct row_reading *r, const PgQuery__RangeVar *v);

/* Whether a byte of the text is inside of one that was read. */
bool row_inner_is_inside(const struct row_reading *r, int at);

/* Note where their tables are in the condition, which has the bytes of the text
 * from one up to another, after 'shift' bytes of its own. */
void row_inner_locate(struct row_reading *r, ptrdiff_t from, ptrdiff_t to,
                      size_t shift);

/* Forget them. */
void row_inner_drop(struct row_reading *r);

/* Hand over what is run at once with the statement. */
void row_inner_finish(struct row_reading *r);

/* What every statement must satisfy; false with a refusal.  Functions,
 * operators and types are none that users have made; every table is one that is
 * watched.
 *
 * A name of WITH is no table where it holds, but without RECURSIVE it does not
 * hold in its own definition, nor in those before it, nor for what is written.
 * Whether a table is meant is left open: no table may have such a name. */
bool row_accept_functions(struct row_reading *r);
bool row_accept_tables(struct row_reading *r, const PgQuery__Node *n);
bool row_accept_names(struct row_reading *r);

/* row_statement_parse for a text that is not run as it is written: functions
 * among the items of a select may act. */
bool row_reading_parse(const struct watched *w, struct arena *arena,
                       const char *text, struct row_statement *out,
                       struct refusal *refusal);

/* All of a select or a merge. */
bool row_reading_select(struct row_reading *r, const PgQuery__SelectStmt *s);
bool row_reading_merge(struct row_reading *r, const PgQuery__MergeStmt *s);

#endif
