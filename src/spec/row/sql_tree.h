/* sql_tree.h -- walk through the tree of a statement, whatever its nodes are.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_SQL_TREE_H
#define SPEC_ROW_SQL_TREE_H

#include "prove/program/parser.h"
#include "spec/row/watched.h"

/* What occurs in a tree. */
struct sql_tree {
    VEC(const PgQuery__RangeVar *) tables; // but not names of WITH
    VEC(const PgQuery__FuncCall *) calls;
    VEC(const PgQuery__ColumnRef *) columns;
    text_vec names;     // of WITH
    text_vec operators; // those of expressions, of IN and of orders
    text_vec types;     // those that it names
    size_t subselects;  // subqueries, in expressions and in FROM
    VEC(const PgQuery__SubLink *) sublinks; // those in expressions
    size_t writes;                          // insert, update, delete and merge
    bool is_unstable; // it has a value that depends on the time or the user
    bool names_time;  // it has a literal that PostgreSQL may take for the time
    bool has_cursor;  // it is about the current row of a cursor
    bool has_parameter;
};

/* Add what occurs in a message of the tree and below it. */
void sql_tree_add(struct sql_tree *t, const ProtobufCMessage *m);
void sql_tree_free(struct sql_tree *t);

/* The last part of a function's name, or "". */
const char *sql_tree_function(const PgQuery__FuncCall *call);

/* The last part of a column's name; "" for '*'. */
const char *sql_tree_column(const PgQuery__ColumnRef *column);

#endif
