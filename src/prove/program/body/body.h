/* body.h -- the body of a PL/pgSQL function as its compiler's JSON; private.
 *
 * Expressions come as text and are parsed once more, as "SELECT text".  The
 * lines of that JSON count from the line on which the body begins.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_BODY_BODY_H
#define PROVE_PROGRAM_BODY_BODY_H

#include "format/form/form.h"
#include "prove/program/lower/lower.h"

struct body {
    struct lower *l;
    struct forms forms;
    uint32_t first_line;
    uint32_t top_line;    // of the BEGIN of the outermost block
    uint32_t declared_at; // the last line that declares a variable
    bool late;            // variables get their values by statements
    uint32_t datums;      // the list of its variables
    uint32_t loops;       // around the statement that is read
    uint32_t blocks;      // around it, of any kind
};

/* The value of a key in a map; 0 where it is absent. */
uint32_t body_find(const struct body *b, uint32_t map, const char *key);

/* The text of a string, in the program's memory; NULL where there is none.
 * The number of a number, else 0. */
const char *body_text(const struct body *b, uint32_t form);
uint32_t body_number(const struct body *b, uint32_t form);

/* The query text in {"PLpgSQL_expr": {"query": ..}}. */
const char *body_query(const struct body *b, uint32_t form);

/* An expression ("n FROM t" is one, too), an expression of some type, a
 * statement of SQL. */
struct expr *body_expr(struct body *b, const char *text);
struct expr *body_typed(struct body *b, const char *text, enum value_type type);
struct statement *body_sql(struct body *b, const char *text);

/* The statements of a list (0: none). */
bool body_block(struct body *b, uint32_t list, struct block *out);

bool body_raises_again(const struct body *b, uint32_t exceptions);

/* Put the row of a query into the variables of a target. */
bool body_into(struct body *b, struct statement *s, uint32_t target);

/* Statements with statements inside: body_branch.c and body_loop.c. */
struct statement *body_if(struct body *b, uint32_t node);
struct statement *body_case(struct body *b, uint32_t node);
struct statement *body_for_query(struct body *b, uint32_t node);
struct statement *body_range(struct body *b, uint32_t node);
struct statement *body_while(struct body *b, uint32_t node);
struct statement *body_exit(struct body *b, uint32_t node);

#endif
