/* pgbench_compute.h -- what the operators and functions of expressions compute.
 *
 * With pgbench's meaning: integers have 64 bits, a quotient of integers is one,
 * and an operation with a real number is one of real numbers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_PROGRAM_PGBENCH_PGBENCH_COMPUTE_H
#define PROVE_PROGRAM_PGBENCH_PGBENCH_COMPUTE_H

#include "base/random.h"
#include "prove/program/pgbench/pgbench_bindings.h"

enum pgbench_operator {
    PGBENCH_OR,
    PGBENCH_AND,
    PGBENCH_NOT,
    PGBENCH_EQUAL,
    PGBENCH_UNEQUAL,
    PGBENCH_AT_MOST,
    PGBENCH_AT_LEAST,
    PGBENCH_LESS,
    PGBENCH_GREATER,
    PGBENCH_PLUS,
    PGBENCH_MINUS,
    PGBENCH_TIMES,
    PGBENCH_OVER,
    PGBENCH_MODULO,
    PGBENCH_NEGATE,
    PGBENCH_OPEN, // a parenthesis
};

enum pgbench_function {
    PGBENCH_CALL_NONE,
    PGBENCH_CALL_RANDOM,
    PGBENCH_CALL_ZIPFIAN,
    PGBENCH_CALL_EXPONENTIAL,
    PGBENCH_CALL_GAUSSIAN,
    PGBENCH_CALL_ABS,
    PGBENCH_CALL_LEAST,
    PGBENCH_CALL_GREATEST,
    PGBENCH_CALL_MOD,
    PGBENCH_CALL_INT,
};

static inline struct pgbench_number
pgbench_integer(int64_t x)
{
    return (struct pgbench_number){.integer = x};
}

static inline struct pgbench_number
pgbench_real(double x)
{
    return (struct pgbench_number){.is_real = true, .real = x};
}

/* The value of an operator with two sides. */
bool pgbench_compute(enum pgbench_operator kind, struct pgbench_number a,
                     struct pgbench_number b, struct pgbench_number *out,
                     struct err *err);

/* The value of a function of n arguments, as many as it takes. */
bool pgbench_call(enum pgbench_function kind, const struct pgbench_number *a,
                  size_t n, struct random *r, struct pgbench_number *out,
                  struct err *err);

bool pgbench_is_true(struct pgbench_number x);

#endif
