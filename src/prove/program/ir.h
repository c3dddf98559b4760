/* ir.h -- transaction programs as data: tables, functions, statements.
 *
 * SQL files become one 'struct program'.  A function is a transaction.  What
 * runs programs (concretely or with symbols) sees nothing but this file, so
 * everything that SQL can say in two ways is said in one way here: joins are
 * conditions, IN lists are comparisons, '*' is a list of columns, a record
 * variable is one variable for each of its fields.
 *
 * Values are integers, booleans, texts, dates and timestamps, each of which may
 * be NULL.  A text is the number of its string in 'texts'; texts are compared
 * for equality only.  A date is the number of days since 2000-01-01, a
 * timestamp that of seconds.  Invariants:
 *   (1) every table has a primary key; one without gets a hidden last column
 *       with generated values, which is its key;
 *   (2) the columns of a primary key are NOT NULL and no statement sets them;
 *   (3) a source is an occurrence of a table in a function, numbered through
 *       the function, so that a column reference needs no scope;
 *   (4) expressions and blocks are at most PROGRAM_DEPTH deep;
 *   (5) aggregates occur in the targets of a query only, and never nested.
 *
 * Everything lives in the arena of the program.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_IR_H
#define PROVE_PROGRAM_IR_H

#include "base/container/strings.h"
#include "base/container/vec.h"
#include "base/memory/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { PROGRAM_DEPTH = 100 };

struct datum {
    int64_t number; // 0 where null; booleans are 0 and 1
    bool null;
    bool opaque; // some value that is not NULL; which one is not known
};

enum value_type {
    TYPE_UNKNOWN,
    TYPE_INTEGER,
    TYPE_BOOLEAN,
    TYPE_TEXT,
    TYPE_DATE,
    TYPE_TIMESTAMP,
    TYPE_OPAQUE, // any other: values of which only the copy is understood
};

/* Which type of SQL an integer has, the smaller first: what it can hold, and
 * that '/' of numeric values does not round. */
enum number_kind {
    NUMBER_SMALLINT = -1,
    NUMBER_INTEGER,
    NUMBER_BIGINT,
    NUMBER_NUMERIC
};

enum expr_kind {
    EXPR_CONSTANT,
    EXPR_VARIABLE,
    EXPR_COLUMN,
    EXPR_INPUT,     // a generated value
    EXPR_AGGREGATE, // number 'index' of the query whose target this is in
    EXPR_EXISTS,
    EXPR_SCALAR, // the one row of a query, or NULL
    // with one argument
    EXPR_NOT,
    EXPR_NEGATE,
    EXPR_IS_NULL,
    EXPR_CAST,   // a number of another kind: it must fit, and is rounded
    EXPR_OPAQUE, // a function of the argument, which may be a LIST
    // with two
    EXPR_AND,
    EXPR_OR,
    EXPR_EQ,
    EXPR_NE,
    EXPR_LT,
    EXPR_LE,
    EXPR_GT,
    EXPR_GE,
    EXPR_DISTINCT, // IS DISTINCT FROM
    EXPR_ADD,
    EXPR_SUBTRACT,
    EXPR_MULTIPLY,
    EXPR_DIVIDE,
    EXPR_MODULO,
    EXPR_COALESCE,
    EXPR_LEAST,
    EXPR_GREATEST,
    EXPR_LIST, // the first argument of an OPAQUE, and the rest of them
    // with three: condition, value, other value
    EXPR_CASE,
};

struct expr {
    enum expr_kind kind;
    enum value_type type;
    enum number_kind number;   // of TYPE_INTEGER
    struct datum value;        // CONSTANT
    uint32_t index;            // VARIABLE, INPUT, AGGREGATE
    uint32_t source, column;   // COLUMN
    const struct query *query; // EXISTS, SCALAR
    const struct expr *arg[3];
    const char *name; // OPAQUE: of the function, operator or "::type"
    bool total;       // OPAQUE: NULL for a NULL, else neither fails nor is NULL
    bool whole;       // OPAQUE: never fails and is never NULL
    bool any;         // OPAQUE: another value every time
};

enum aggregate_kind {
    AGGREGATE_COUNT, // of rows, or of values that are not NULL
    AGGREGATE_SUM,
    AGGREGATE_MIN,
    AGGREGATE_MAX,
    AGGREGATE_ANY, // bool_or
    AGGREGATE_ALL, // bool_and
};

struct aggregate {
    enum aggregate_kind kind;
    bool distinct;
    const struct expr *arg; // NULL: count(*)
};

struct sort {
    const struct expr *by;
    bool descending; // PostgreSQL: NULL is larger than everything
};

enum lock { LOCK_NONE, LOCK_SHARE, LOCK_UPDATE };

struct target {
    const char *name;
    const struct expr *value;
};

struct query {
    uint32_t line;
    uint32_t *sources, n_sources;
    const struct expr *where; // NULL: every row
    struct target *targets;
    uint32_t n_targets;
    struct aggregate *aggregates; // with any, there is one result row
    uint32_t n_aggregates;
    struct sort *order;
    uint32_t n_order;
    int64_t limit; // -1: none
    enum lock lock;
    bool distinct;
    bool any; // stands for any number of rows: its one row is one of them
};

struct assignment {
    uint32_t column;
    const struct expr *value;
};

struct block {
    struct statement **at;
    uint32_t n;
};

enum statement_kind {
    STATEMENT_SELECT, // the first row into variables; sets FOUND
    STATEMENT_ROWS,   // every row is part of the function's result
    STATEMENT_UPDATE,
    STATEMENT_DELETE,
    STATEMENT_INSERT,
    STATEMENT_ASSIGN,
    STATEMENT_IF,
    STATEMENT_FOR,   // over the rows of a query
    STATEMENT_RANGE, // over integers
    STATEMENT_WHILE,
    STATEMENT_EXIT,
    STATEMENT_CONTINUE,
    STATEMENT_RETURN,
    STATEMENT_RAISE, // aborts the transaction
};

enum on_conflict { CONFLICT_ABORTS, CONFLICT_NOTHING, CONFLICT_UPDATES };

struct statement {
    enum statement_kind kind;
    uint32_t line;
    uint32_t number; // in the function, from 0

    const struct query *query; // SELECT, ROWS, FOR, INSERT .. SELECT
    uint32_t *into, n_into;    // variables for the first targets
    bool strict;               // aborts unless there is exactly one row
    bool hidden;               // PERFORM: only FOUND is seen of it

    // UPDATE, DELETE, INSERT
    uint32_t table;
    uint32_t source; // the row; with ON CONFLICT the row that is there
    const struct expr *where;
    struct assignment *sets; // also of ON CONFLICT .. DO UPDATE
    uint32_t n_sets;
    struct target *returning;
    uint32_t n_returning;

    // INSERT: a value for each column of the table, for each row
    const struct expr **values;
    uint32_t n_rows;
    uint32_t *insert_targets; // with a query: the column of each target
    enum on_conflict on_conflict;
    uint32_t *arbiter, n_arbiter; // its columns; none: any constraint
    uint32_t excluded;            // the source that is the refused row
    const struct query *any_rows; // while it is read: how many times

    // ASSIGN, IF, WHILE (NULL: for ever), RETURN (NULL: nothing)
    const struct expr *value;
    uint32_t variable; // ASSIGN, RANGE
    struct block body, other;
    const struct expr *low, *high, *step; // RANGE; step NULL: 1
    bool reverse;
    uint32_t depth; // EXIT, CONTINUE: how many loops out; 0 is the innermost
};

struct table_column {
    const char *name;
    enum value_type type;
    bool not_null;
    enum number_kind number;
    bool generated;             // by default: serial, identity, uuid
    bool always;                // GENERATED ALWAYS: no other value is taken
    bool rounds;                // numeric with a number of digits
    uint32_t limit;             // most characters, or digits of a numeric in
                                // front of the point; 0: any
    const struct expr *initial; // DEFAULT; NULL: NULL
    bool any_default;           // DEFAULT is an expression that is opaque
    bool computed;              // GENERATED ALWAYS AS an expression
};

struct columns {
    uint32_t *at, n;
};

struct foreign_key {
    struct columns columns;
    uint32_t table; // referenced
    struct columns referenced;
};

enum table_write { TABLE_INSERT, TABLE_UPDATE, TABLE_DELETE, TABLE_WRITES };

struct table {
    const char *name, *file;
    const char *schema; // "" where none is named
    uint32_t line;
    const char *unknown; // why it is not modelled; NULL: it is
    bool disabled;       // no trigger of it runs, nor any check of references
    const char *guarded[TABLE_WRITES]; // why such a write is not modelled
    uint64_t guarded_columns; // an UPDATE that sets none of them is modelled
    uint64_t assigned[TABLE_WRITES]; // columns that triggers may change then
    const char *cascades; // what a DELETE does to rows that refer to it
    bool secured;         // it has row-level security
    struct table_column *columns;
    uint32_t n_columns;
    const char **more; // names of columns that column 'folded' stands for
    uint32_t n_more, folded;
    bool hidden_key;       // (1)
    const char *key_index; // the index that was made the primary key
    struct columns primary;
    struct columns
        declared; // the primary key of the file, where it is not that
    struct columns *unique;
    uint32_t n_unique;
    struct foreign_key *foreign;
    uint32_t n_foreign;
    const struct expr **checks; // the row is source 0
    uint32_t n_checks;
};

struct variable {
    const char *name; // "r.balance" for a field of a record
    enum value_type type;
    enum number_kind number;
    const struct expr *initial; // NULL: NULL
    bool not_null;
    bool rounds;    // as of a column
    uint32_t limit; // as of a column
};

enum input_kind {
    INPUT_KEY,    // distinct for each evaluation, and not yet in its column
    INPUT_MOMENT, // now(), current_date: one value of a type for a transaction
    INPUT_ANY,    // random()
};

struct input_site {
    enum input_kind kind;
    enum value_type type;
    uint32_t table, column; // KEY
};

struct function {
    const char *name, *file;
    uint32_t line;
    struct variable *variables; // the parameters first, then FOUND
    uint32_t n_variables, n_parameters;
    uint32_t *source_tables;
    uint32_t n_sources;
    struct input_site *inputs;
    uint32_t n_inputs;
    uint32_t n_statements;
    // Why only executions are modelled in which it does not fail, and where:
    // then there are no proofs.  NULL: all are.
    const char *partial;
    uint32_t partial_line;
    bool strict;   // not called with a NULL
    bool snapshot; // STABLE or IMMUTABLE: the whole function is one snapshot
    struct block body;
};

/* For all rows: where 'given' holds, so does 'then'. */
struct invariant {
    const char *file;
    uint32_t line;
    uint32_t *source_tables, n_sources;
    const struct expr *given, *then; // given NULL: always
};

/* A function that is not understood.  What is said of the program is said of
 * the other functions. */
struct function_refusal {
    const char *function; // "" for something that is no function
    const char *file;
    uint32_t line; // of the construct that is not modelled
    const char *reason;
};

/* A statement of a file that has no bearing on isolation. */
struct skipped {
    const char *what, *name, *file;
    uint32_t line;
};

struct program {
    struct arena arena;
    struct strings texts;
    VEC(struct table) tables;
    VEC(struct function *) functions;
    VEC(struct invariant) invariants;
    VEC(struct function_refusal) refused;
    VEC(struct skipped) skipped;
};

/* Whether a value of SQL's type can be this number. */
bool program_number_fits(enum value_type type, enum number_kind number,
                         int64_t n);

/* Whether some value can have a fraction, which the numbers here have not. */
bool program_has_fractions(const struct program *p);

/* The number of the first site that gives the same moment as this one. */
uint32_t function_moment(const struct function *f, uint32_t site);

/* FOUND is the variable behind the parameters. */
static inline uint32_t
function_found(const struct function *f)
{
    return f->n_parameters;
}

static inline bool
statement_is_loop(const struct statement *s)
{
    return s->kind == STATEMENT_FOR || s->kind == STATEMENT_RANGE ||
           s->kind == STATEMENT_WHILE;
}

/* Whether a statement of the block, or inside of one, is of this kind. */
bool block_has(const struct block *b, enum statement_kind kind);

/* How many arguments an expression of this kind has. */
static inline uint32_t
expr_arity(enum expr_kind kind)
{
    return kind < EXPR_NOT ? 0 : kind < EXPR_AND ? 1 : kind < EXPR_CASE ? 2 : 3;
}

/* UINT32_MAX where there is none of that name. */
uint32_t program_find_table(const struct program *p, const char *name);
uint32_t program_find_function(const struct program *p, const char *name);
/* The number of a function that the program has. */
uint32_t program_number(const struct program *p, const struct function *f);
uint32_t table_find_column(const struct table *t, const char *name);

/* Whether columns has c in it. */
bool columns_have(const struct columns *columns, uint32_t c);

/* Whether any of the columns is in a set of them, as bits. */
bool columns_meet(const struct columns *columns, uint64_t set);

/* n zeroed elements of some size in the program's arena; NULL for none. */
void *program_alloc(struct program *p, size_t n, size_t size);
char *program_copy(struct program *p, const char *text);

void program_free(struct program *p);

#endif
