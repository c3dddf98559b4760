/* predicate.h -- conditions on the columns of one row, as SQL has them.
 *
 * The language is a part of SQL's: columns, integers, 'text', NULL, TRUE and
 * FALSE, the comparisons = <> < <= > >=, AND, OR, NOT, IN, BETWEEN, IS NULL and
 * parentheses around conditions.  Whatever else stands there is an error with
 * its place.
 *
 * Logic has three values: a comparison with NULL is unknown, and a row matches
 * only where the condition is true.  Text is compared byte by byte.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ROW_PREDICATE_H
#define HISTORY_ROW_PREDICATE_H

#include "base/container/strings.h"
#include "base/container/vec.h"
#include "base/err.h"

enum { PREDICATE_DEPTH = 200 }; // nested NOT and parentheses, at most

enum row_datum_type { ROW_DATUM_NULL, ROW_DATUM_INT, ROW_DATUM_TEXT };

/* The value of a column. */
struct row_datum {
    enum row_datum_type type;
    int64_t number;
    uint32_t text; // number of a string
};

/* A column, by the number of its name, and its value. */
struct row_cell {
    uint32_t column;
    struct row_datum datum;
};

struct row_cells {
    const struct row_cell *at; // in ascending order of columns
    size_t n;
};

enum row_truth { ROW_FALSE, ROW_UNKNOWN, ROW_TRUE };

struct predicate_operand {
    bool is_column;
    uint32_t column;        // where it is one
    struct row_datum datum; // else
};

enum predicate_step_kind {
    STEP_CONSTANT, // TRUE or FALSE
    STEP_COMPARE,  // operands a and b
    STEP_IN,       // operand a, and those from b on
    STEP_BETWEEN,  // operands a, b and b + 1
    STEP_IS_NULL,  // operand a
    STEP_NOT,
    STEP_AND,
    STEP_OR,
    STEP_PARENTHESIS, // only while the text is parsed
};

enum predicate_sign {
    SIGN_EQUAL,
    SIGN_NOT_EQUAL,
    SIGN_LESS,
    SIGN_LESS_EQUAL,
    SIGN_GREATER,
    SIGN_GREATER_EQUAL
};

struct predicate_step {
    enum predicate_step_kind kind;
    enum predicate_sign comparison;
    bool is_negated;
    enum row_truth truth;
    uint32_t a, b, n; // operands; n: how many values IN has
};

/* The steps are in the order of a stack machine: operands before operators. */
struct predicate {
    VEC(struct predicate_step) steps;
    VEC(struct predicate_operand) operands;
};

/* Parse len bytes of text; 'names' takes the columns and texts in it.  *where
 * is the place of the mistake, where it fails. */
bool predicate_parse(struct predicate *p, const char *text, size_t len,
                     struct strings *names, size_t *where, struct err *err);
void predicate_free(struct predicate *p);

/* The value of the condition on a row.  Fails where the row lacks a column, or
 * an integer is compared with text. */
bool predicate_evaluate(const struct predicate *p, struct row_cells row,
                        const struct strings *names, enum row_truth *out,
                        struct err *err);

/* Whether the row has every column that p names. */
bool predicate_is_answered(const struct predicate *p, struct row_cells row);

#endif
