/* pgbench_expression.h -- the value of an expression of \set and \if.
 *
 * Numbers, variables, the operators + - * / %, comparisons, AND, OR, NOT, and
 * the functions random, random_zipfian, random_exponential, random_gaussian,
 * abs, least, greatest, mod and int, with pgbench's meaning: integers have 64
 * bits, and a quotient of integers is one.  Anything else is an error that
 * names it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_PGBENCH_PGBENCH_EXPRESSION_H
#define PROVE_PROGRAM_PGBENCH_PGBENCH_EXPRESSION_H

#include "base/random.h"
#include "prove/program/pgbench/pgbench_bindings.h"

/* Evaluate a text; on failure the error has no position. */
bool pgbench_evaluate(const char *text, size_t len,
                      const struct pgbench_bindings *b, struct random *random,
                      struct pgbench_number *out, struct err *err);

#endif
