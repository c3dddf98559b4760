/* pgbench_expression.h -- the value of an expression of \set and \if.
 *
 * Numbers, variables, the operators + - * / %, comparisons, AND, OR, NOT, and
 * the functions random, random_zipfian, random_exponential, random_gaussian,
 * abs, least, greatest, mod and int, with pgbench's meaning: integers have 64
 * bits, and a quotient of integers is one.  Anything else is an error that
 * names it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROGRAM_PGBENCH_PGBENCH_EXPRESSION_H
#define PROGRAM_PGBENCH_PGBENCH_EXPRESSION_H

#include "base/random.h"
#include "program/pgbench/pgbench_command.h"

/* A variable and its value in SQL: a number, a literal or null. */
struct pgbench_binding {
    char name[PGBENCH_NAME_ROOM];
    struct buf sql;
};

/* All-zero is empty. */
struct pgbench_bindings {
    VEC(struct pgbench_binding) all;
};

void pgbench_bind(struct pgbench_bindings *b, const char *name, size_t n,
                  const char *sql);

/* The value in SQL, or NULL. */
const char *pgbench_bound(const struct pgbench_bindings *b, const char *name,
                          size_t n);

void pgbench_bindings_free(struct pgbench_bindings *b);

struct pgbench_number {
    bool is_real;
    int64_t integer;
    double real;
};

/* Evaluate a text; on failure the error has no position. */
bool pgbench_evaluate(const char *text, size_t len,
                      const struct pgbench_bindings *b, struct random *random,
                      struct pgbench_number *out, struct err *err);

bool pgbench_is_true(struct pgbench_number x);

#endif
