/* lower.h -- from parse trees to the IR; private to this folder.
 *
 * A 'struct lower' is the place where lowering stands: the function, the text
 * whose tree is being read, the tables in scope.  Every function that can meet
 * something that is not understood returns false (or NULL) with an error that
 * has the file and the line; nothing is skipped in silence.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_LOWER_LOWER_H
#define PROVE_PROGRAM_LOWER_LOWER_H

#include "prove/program/ir.h"
#include "prove/program/parser.h"

#define NODE_IS(node, NAME)                                                    \
    ((node) && (node)->node_case == PG_QUERY__NODE__NODE_##NAME)

/* A type that values can have here. */
struct scalar_type {
    enum value_type type;
    enum number_kind number;
    bool serial;    // it generates its values
    bool rounds;    // numeric with a number of digits
    uint32_t limit; // most characters, or digits in front of the point
};

/* A type that the files make: an enum has labels, a domain another type.
 * 'checked': it has constraints, which are opaque. */
struct user_type {
    const char *name;
    struct scalar_type type;
    uint32_t *labels, n_labels; // texts
    bool checked;
};

/* A constraint by the name that PostgreSQL gives it, for DROP CONSTRAINT. */
struct named {
    uint32_t table;
    const char *name; // "": not known
    bool dropped;
    const PgQuery__Constraint *node;
    const struct expr *check; // of CHECK
    const uint32_t *unique;   // the columns of UNIQUE
};

/* A table that can be named in expressions now. */
struct visible {
    const char *name; // alias, or the table's name
    uint32_t source, table;
    uint32_t level; // of query nesting
};

/* A function of the files, and a view. */
struct made {
    const char *name, *language, *text, *body; // body NULL: none as text
    bool stable;                               // or IMMUTABLE
    bool immutable;
    bool altered; // ALTER FUNCTION says otherwise
    bool sets;    // returns rows
    const PgQuery__CreateFunctionStmt *create;
};

struct made_view {
    const char *name;
    const PgQuery__Node *query;
    bool renamed; // so that names mean other views than the files say
};

/* A name that a table (table UINT32_MAX) or a column lost; now NULL: dropped.
 */
struct renamed {
    uint32_t order, table;
    const char *old, *now;
};

/* What a piece of SQL can read: lower_reads.c. */
struct reads {
    u32_vec tables;
    bool later; // a VOLATILE function reads some, after the statement began
    bool sets;  // it has an aggregate, or gives rows
};

/* Where lowering stands. */
struct lower_mark {
    size_t visible, variables, sources, inputs, aggregates, before, after;
    uint32_t n_statements, level, depth;
    bool in_targets, in_aggregate, merged;
};

struct lower {
    struct program *program;
    struct err *err;
    const char *file;

    // The text whose tree is read: line of its byte 'counted', and whether its
    // columns are those of the file.
    const char *text;
    uint32_t line;
    int counted;
    bool exact;

    // What names mean.
    VEC(struct visible) visible;
    uint32_t level;     // of query nesting
    bool columns_first; // LANGUAGE sql: a column hides a parameter
    bool merged;        // the query has a JOIN .. USING
    bool padded;        // some values have the type char
    bool uuids;         // some have the type uuid
    VEC(struct user_type) types;
    VEC(const char *) functions;   // the names of all that the files make
    VEC(struct named) constraints; // of all tables
    VEC(struct made) made;
    VEC(struct made_view) views;
    VEC(const char *) records; // variables that have fields only
    const char *hidden; // what reads tables in any expression; NULL: nothing
    VEC(struct renamed) renamed;
    VEC(const PgQuery__IndexStmt *) indexes; // unique ones with a name
    VEC(const char *) not_valid; // constraints that rows may violate
    VEC(uint32_t) not_valid_of;  // their tables
    bool cycles;                 // a sequence gives numbers again
    uint32_t order; // of the statement among all; UINT32_MAX: after them
    bool doubt;     // a later statement may drop what this one makes

    // The function, as far as it is known; NULL function: in a table.
    struct function *function;
    struct scalar_type returns; // UNKNOWN: nothing, a set, something else
    bool has_result;            // one value, which RETURN has to give
    VEC(uint32_t) outs;         // the variables of OUT parameters
    VEC(struct variable) variables;
    VEC(uint32_t) sources;
    VEC(struct input_site) inputs;
    uint32_t n_statements;

    // The query whose targets are read, for its aggregates.
    struct query *query;
    VEC(struct aggregate) aggregates;
    bool in_targets, in_aggregate;
    uint32_t depth; // of expressions

    // What comes before and after the statement that is read, and whether that
    // is what it reads.
    VEC(struct statement *) before;
    VEC(struct statement *) after;
    bool reads_before;
    bool wrong;                      // PostgreSQL refuses it, too
    bool in_rows;                    // of a VALUES with several rows
    bool in_expression;              // of PL/pgSQL
    const PgQuery__WithClause *with; // of the INSERT around the query
};

void lower_free(struct lower *l);

/* Note an error at a byte of the text (-1: its first line); return false. */
__attribute__((format(printf, 3, 4))) bool
lower_fail(struct lower *l, int location, const char *format, ...);

/* The line of a byte of the text. */
uint32_t lower_line(const struct lower *l, int location);

enum { LOWER_LIST = 500 }; // members of a list in an expression

/* Expressions: lower_expr.c, lower_operator.c, lower_name.c, lower_sugar.c,
 * lower_call.c. */
struct expr *lower_expr(struct lower *l, const PgQuery__Node *node);
struct expr *lower_name(struct lower *l, const PgQuery__ColumnRef *ref);
struct expr *lower_param(struct lower *l, const PgQuery__ParamRef *node);
struct expr *lower_operator(struct lower *l, const char *name, struct expr *a,
                            struct expr *b, int location);
/* The type of current_date and its kin. */
bool lower_moment_type(struct lower *l, const PgQuery__SQLValueFunction *node,
                       enum value_type *type);
struct expr *lower_in(struct lower *l, const PgQuery__AExpr *node,
                      bool negated);
struct expr *lower_between(struct lower *l, const PgQuery__AExpr *node,
                           bool negated);
struct expr *lower_case(struct lower *l, const PgQuery__CaseExpr *node);
struct expr *lower_fold(struct lower *l, enum expr_kind kind,
                        PgQuery__Node *const *nodes, size_t n, int location);
struct expr *lower_sublink(struct lower *l, const PgQuery__SubLink *node);
struct expr *lower_test(struct lower *l, const PgQuery__BooleanTest *node);
struct expr *lower_null_test(struct lower *l, const PgQuery__NullTest *node);

/* Make both operands the same type. */
bool lower_match_types(struct lower *l, struct expr **a, struct expr **b,
                       int location);
struct expr *lower_call(struct lower *l, const PgQuery__FuncCall *call);

/* What is not understood: lower_opaque.c. */
struct expr *lower_opaque(struct lower *l, const char *name,
                          struct scalar_type type, struct expr *const *args,
                          size_t n);
struct expr *lower_opaque_total(struct lower *l, const char *name,
                                struct scalar_type type,
                                struct expr *const *args, size_t n);
/* 'name' is that of the type; "" where PostgreSQL casts by itself. */
struct expr *lower_opaque_cast(struct lower *l, struct expr *e,
                               struct scalar_type type, const char *name);
struct expr *lower_opaque_call(struct lower *l, const PgQuery__FuncCall *call);
struct expr *lower_opaque_operator(struct lower *l, const char *name,
                                   struct expr *a, struct expr *b,
                                   int location);
/* current_user and its kin: one value for a transaction. */
struct expr *lower_session_value(struct lower *l, const char *name);
struct expr *lower_argument(struct lower *l, const PgQuery__Node *node);
struct expr *lower_whole_row(struct lower *l, const char *name);
/* Whether the table of lower_opaque.c has the function. */
bool lower_is_known(const PgQuery__FuncCall *call);
/* The same for all functions that read no tables: lower_builtin.c. */
bool lower_reads_nothing(const PgQuery__FuncCall *call, bool *gives_rows);
bool lower_defines_function(const struct lower *l, const char *name);
bool lower_user_type(struct lower *l, const PgQuery__Node *node);
const struct user_type *lower_find_type(const struct lower *l,
                                        const char *name);
/* An upper bound of what parse trees read: lower_reads.c. */
bool lower_reads(struct lower *l, const void *const *messages, size_t n,
                 struct reads *out);
void reads_add(struct reads *r, uint32_t table);
/* Whether all tables that a parse tree can read are among the sources from
 * 'first' on, or written by s (NULL: no statement).  A part of a tree that
 * lowering forgets is an error here. */
bool lower_audit(struct lower *l, const void *tree, size_t first,
                 const struct statement *s);
/* Whether an expression (NULL: none) or a function of the files (likewise)
 * may read tables of the files. */
bool lower_may_read(struct lower *l, const PgQuery__Node *expression,
                    const char *function);
/* What runs without being called, and reads tables: lower_hidden.c. */
void lower_hidden(struct lower *l, const PgQuery__Node *node);
bool lower_hidden_in(struct lower *l, const PgQuery__CreateFunctionStmt *f);
void lower_note_view(struct lower *l, const PgQuery__ViewStmt *view);
void lower_note_alter_function(struct lower *l,
                               const PgQuery__AlterFunctionStmt *alter);
/* RENAME of a view or of a function: both names mean it. */
void lower_note_rename(struct lower *l, const PgQuery__RenameStmt *rename);
void lower_note_function(struct lower *l,
                         const PgQuery__CreateFunctionStmt *create,
                         const char *text);

/* What is not modelled, as anything: lower_any.c.  The error that stands in
 * l->err is why; it stays where nothing can be said. */
void lower_mark(const struct lower *l, struct lower_mark *m);
void lower_return(struct lower *l, const struct lower_mark *m);
struct expr *lower_any_value(struct lower *l, struct scalar_type type,
                             const struct reads *reads);
struct expr *lower_any_expr(struct lower *l, const PgQuery__Node *node);
struct query *lower_any_query(struct lower *l,
                              const PgQuery__SelectStmt *select);
struct statement *lower_any_times(struct lower *l, const struct reads *reads);
struct statement *lower_any_found(struct lower *l);
struct statement *lower_any_rows(struct lower *l, const struct query *q,
                                 struct statement *once);
struct statement *lower_sequence(struct lower *l, struct statement *const *all,
                                 size_t n);
/* Put a statement into a block with room for more, between what was noted to
 * come before and after it. */
void lower_collect(struct lower *l, struct block *out, size_t room,
                   struct statement *s, size_t before, size_t after);
/* A condition on the rows of an UPDATE or DELETE of which only the tables are
 * known that these pieces read (NULL: none). */
struct expr *lower_any_condition(struct lower *l, const void *const *messages,
                                 size_t n);
bool lower_any_targets(struct lower *l, PgQuery__Node *const *nodes, size_t n,
                       struct target **targets, uint32_t *n_targets);
/* What a value of the type satisfies; NULL where that is nothing. */
struct expr *lower_type_check(struct lower *l, const struct user_type *type,
                              struct expr *value);

/* Nodes: lower_node.c. */
struct expr *expr_new(struct lower *l, enum expr_kind kind,
                      enum value_type type);
struct expr *expr_unary(struct lower *l, enum expr_kind kind,
                        const struct expr *a);
struct expr *expr_binary(struct lower *l, enum expr_kind kind,
                         const struct expr *a, const struct expr *b);
struct expr *expr_number(struct lower *l, int64_t number);
struct expr *expr_boolean(struct lower *l, bool truth);
struct expr *expr_null(struct lower *l);
struct expr *expr_column(struct lower *l, uint32_t source, uint32_t column);
struct expr *expr_input(struct lower *l, struct input_site site);

/* Where a has no type yet (NULL), give it b's, and the other way round; false
 * where they differ. */
bool expr_unify(struct expr *a, struct expr *b);

/* A condition: like an expression, but boolean. */
struct expr *lower_condition(struct lower *l, const PgQuery__Node *node);

/* The name of the last part of a type or function name. */
const char *lower_last_name(PgQuery__Node *const *names, size_t n);

/* Types: lower_type.c.  False, with an error, for a type that values cannot
 * have; lower_type_of_name notes none.  The numbers of lower_type_limits are
 * those in parentheses. */
bool lower_type(struct lower *l, const PgQuery__TypeName *type,
                struct scalar_type *out);
bool lower_type_of_name(const char *name, struct scalar_type *out);
bool lower_type_limits(struct lower *l, struct scalar_type *type,
                       const int64_t *numbers, size_t n, int location);

/* A value as one of another type, and a number as one of another kind. */
struct expr *lower_cast(struct lower *l, struct expr *e, enum value_type type,
                        int location);
struct expr *lower_cast_number(struct lower *l, struct expr *e,
                               enum number_kind number);
struct expr *lower_type_cast(struct lower *l, const PgQuery__TypeCast *node);
/* A value as a column or variable of that kind of number takes it. */
const struct expr *lower_store(struct lower *l, const struct expr *e,
                               enum number_kind number, bool rounds);
/* Texts that are too long for their columns are not in them; an error where
 * that is not known. */
bool lower_lengths(struct lower *l);

/* Queries: lower_query.c. */
struct query *lower_query(struct lower *l, const PgQuery__SelectStmt *select);
bool lower_targets(struct lower *l, PgQuery__Node *const *nodes, size_t n,
                   uint32_t level, struct target **targets,
                   uint32_t *n_targets);
uint32_t lower_add_source(struct lower *l, const char *name, uint32_t table);
bool lower_find_table(struct lower *l, const PgQuery__RangeVar *range,
                      uint32_t *table);
/* Whether a name can be that of a table.  Where the name says no schema, or the
 * table was made in none, the schemas fit. */
bool lower_is_named(const struct table *t, const PgQuery__RangeVar *range);
/* The table of a name: UINT32_MAX where there is none, or several. */
uint32_t lower_table_of(const struct lower *l, const PgQuery__RangeVar *range);

/* Names that were changed: lower_renamed.c.  What the statement that is read
 * names is called so now; NULL where it is dropped. */
void lower_note_renamed(struct lower *l, uint32_t table, const char *old,
                        const char *now);
const char *lower_table_now(const struct lower *l, const char *name);
const char *lower_column_now(const struct lower *l, const struct table *t,
                             const char *name);
bool lower_was_renamed(const struct lower *l, const char *table);
/* A statement of the schema names one of several tables. */
void lower_ambiguous(struct lower *l, const PgQuery__RangeVar *range);

/* Statements: lower_write.c.  'kind' and all that SQL says is set, 'into' is
 * not. */
struct statement *lower_sql(struct lower *l, const PgQuery__Node *node);
struct statement *statement_new(struct lower *l, enum statement_kind kind);

/* Tables: lower_table.c.  What of a table is not modelled stands in it
 * (unknown, guarded).  lower_table and lower_column leave room for
 * LOWER_COLUMNS columns and the hidden key. */
enum { LOWER_COLUMNS = 60 };
bool lower_table(struct lower *l, const PgQuery__CreateStmt *create);
void lower_add_check(struct lower *l, struct table *t, const struct expr *e);
bool lower_index(struct lower *l, const PgQuery__IndexStmt *index);
bool lower_find_columns(struct lower *l, const struct table *t,
                        PgQuery__Node *const *keys, size_t n, int location,
                        struct columns *out);
struct columns lower_one_column(struct lower *l, uint32_t c);
/* Foreign keys: lower_foreign.c. */
bool lower_foreign_keys(struct lower *l, const PgQuery__CreateStmt *create);
/* As table_find_column, for columns that are only a part of one here, too. */
/* Whether texts that a collation calls equal are the same (NULL: the default
 * one); an error where they may not be. */
bool lower_exact_collation(struct lower *l,
                           const PgQuery__CollateClause *clause);
uint32_t lower_find_column(const struct table *t, const char *name);
bool lower_is_folded(const struct table *t, uint32_t c);
bool lower_column(struct lower *l, struct table *t,
                  const PgQuery__ColumnDef *def);
bool lower_column_constraints(struct lower *l, struct table *t,
                              const PgQuery__ColumnDef *def);
bool lower_constraint(struct lower *l, struct table *t, uint32_t c,
                      const PgQuery__Constraint *k);
bool lower_foreign_key(struct lower *l, struct table *t, uint32_t c,
                       const PgQuery__Constraint *k);
bool lower_default(struct lower *l, struct table_column *column,
                   const PgQuery__Node *node, int location);
void lower_hidden_key(struct lower *l, struct table *t);
/* Note that only executions are modelled in which the function does not fail.
 */
void lower_partial(struct lower *l, const char *why);
/* The error that stands in l->err as the reason why the table is not modelled,
 * and why writes of one kind are not. */
void lower_table_unknown(struct lower *l, struct table *t);
void lower_table_guard(struct lower *l, struct table *t, enum table_write w,
                       const char *format, const char *name);

/* Constraints by name: lower_named.c.  lower_name_constraint is told of each
 * when it is made; lower_drop_constraint fails where it cannot know which one
 * is meant. */
void lower_name_constraint(struct lower *l, const struct table *t,
                           const PgQuery__Constraint *k,
                           const struct columns *columns,
                           const struct expr *check);
bool lower_drop_constraint(struct lower *l, struct table *t, const char *name,
                           bool missing_ok, bool cascade);
bool lower_is_dropped(const struct lower *l, const PgQuery__Constraint *k);
void lower_remove_unique(struct table *t, uint32_t i);
void lower_remove_check(struct table *t, uint32_t i);

/* ALTER TABLE, and its keys in a later pass: lower_alter.c. */
bool lower_alter(struct lower *l, const PgQuery__AlterTableStmt *alter);
/* Constraints that rows may violate, now that all alterations are known. */
void lower_altered(struct lower *l);
/* Whether a sequence with these options gives numbers again. */
bool lower_is_cycle(PgQuery__Node *const *options, size_t n);
bool lower_alter_keys(struct lower *l, const PgQuery__AlterTableStmt *alter);
bool lower_rename(struct lower *l, const PgQuery__RenameStmt *rename);

/* The other statements of a schema: lower_schema.c.  lower_schema notes what a
 * trigger, a rule or a policy means for a table, and what is skipped. */
/* Triggers about their own row: lower_trigger.c.  False where a trigger is none
 * of these; lower_inserted and lower_updated change the values of a statement
 * as triggers and generated columns do. */
bool lower_trigger(struct lower *l, struct table *t,
                   const PgQuery__CreateTrigStmt *trigger);
bool lower_inserted(struct lower *l, struct statement *s);
bool lower_updated(struct lower *l, struct statement *s);
/* Whether a function of the files reads and writes no table, for certain. */
bool lower_reads_none(struct lower *l, const char *function);
void lower_schema(struct lower *l, const PgQuery__Node *node, int location);
void lower_skip(struct lower *l, const char *what, const char *name,
                int location);

/* Functions: lower_function.c and lower_plpgsql.c.  'text' is the statement
 * that makes the function, and l->text the file. */
bool lower_function(struct lower *l, const PgQuery__CreateFunctionStmt *create,
                    const char *text, int location);
bool lower_plpgsql(struct lower *l, const char *text, uint32_t first_line);
/* Assign the first targets to the variables of the names; a name of a record
 * variable stands for all. */
bool lower_into(struct lower *l, struct statement *s, const char *const *names,
                size_t n);
uint32_t lower_find_variable(const struct lower *l, const char *name);
uint32_t lower_add_variable(struct lower *l, const char *name,
                            enum value_type type);

/* Invariants in comments: lower_invariant.c. */
bool lower_invariants(struct lower *l);

#endif
