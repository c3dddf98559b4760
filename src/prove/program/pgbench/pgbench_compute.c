/* pgbench_compute.c -- see pgbench_compute.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/pgbench/pgbench_compute.h"

#include <math.h>
#include <stdlib.h>

static double
as_real(struct pgbench_number x)
{
    return x.is_real ? x.real : (double)x.integer;
}

bool
pgbench_is_true(struct pgbench_number x)
{
    return x.is_real ? x.real != 0 : x.integer != 0;
}

static bool
compute_real(enum pgbench_operator kind, double a, double b,
             struct pgbench_number *out, struct err *err)
{
    switch (kind) {
    case PGBENCH_PLUS:
        *out = pgbench_real(a + b);
        return true;
    case PGBENCH_MINUS:
        *out = pgbench_real(a - b);
        return true;
    case PGBENCH_TIMES:
        *out = pgbench_real(a * b);
        return true;
    case PGBENCH_OVER:
        *out = pgbench_real(a / b);
        return b != 0 || err_set(err, ERR_SYNTAX, "division by zero");
    default:
        return err_set(err, ERR_SYNTAX,
                       "found a real number, expected an integer before and "
                       "after '%%'");
    }
}

static bool
compute_integer(enum pgbench_operator kind, int64_t a, int64_t b,
                struct pgbench_number *out, struct err *err)
{
    int64_t x = 0;
    bool is_large = false;
    if (kind == PGBENCH_OVER || kind == PGBENCH_MODULO) {
        if (b == 0)
            return err_set(err, ERR_SYNTAX, "division by zero");
        is_large = a == INT64_MIN && b == -1;
        if (!is_large)
            x = kind == PGBENCH_OVER ? a / b : a % b;
    } else if (kind == PGBENCH_PLUS) {
        is_large = __builtin_add_overflow(a, b, &x);
    } else if (kind == PGBENCH_MINUS) {
        is_large = __builtin_sub_overflow(a, b, &x);
    } else {
        is_large = __builtin_mul_overflow(a, b, &x);
    }
    *out = pgbench_integer(x);
    return !is_large || err_set(err, ERR_SYNTAX,
                                "a number that is too large, expected one "
                                "of 64 bits");
}

static int
compare(struct pgbench_number a, struct pgbench_number b)
{
    if (a.is_real || b.is_real)
        return (as_real(a) > as_real(b)) - (as_real(a) < as_real(b));
    return (a.integer > b.integer) - (a.integer < b.integer);
}

bool
pgbench_compute(enum pgbench_operator kind, struct pgbench_number a,
                struct pgbench_number b, struct pgbench_number *out,
                struct err *err)
{
    const int order = compare(a, b);
    switch (kind) {
    case PGBENCH_OR:
        *out = pgbench_integer(pgbench_is_true(a) || pgbench_is_true(b));
        return true;
    case PGBENCH_AND:
        *out = pgbench_integer(pgbench_is_true(a) && pgbench_is_true(b));
        return true;
    case PGBENCH_EQUAL:
        *out = pgbench_integer(order == 0);
        return true;
    case PGBENCH_UNEQUAL:
        *out = pgbench_integer(order != 0);
        return true;
    case PGBENCH_AT_MOST:
        *out = pgbench_integer(order <= 0);
        return true;
    case PGBENCH_AT_LEAST:
        *out = pgbench_integer(order >= 0);
        return true;
    case PGBENCH_LESS:
        *out = pgbench_integer(order < 0);
        return true;
    case PGBENCH_GREATER:
        *out = pgbench_integer(order > 0);
        return true;
    default:
        return a.is_real || b.is_real
                   ? compute_real(kind, as_real(a), as_real(b), out, err)
                   : compute_integer(kind, a.integer, b.integer, out, err);
    }
}

/* --- functions -------------------------------------------------------------*/

/* A number of 0 .. n-1 by one of the distributions. */
static uint64_t
draw(enum pgbench_function kind, uint64_t n, double parameter, struct random *r)
{
    const double pi = 3.14159265358979323846;
    double x = 0;
    struct zipf zipf;
    switch (kind) {
    case PGBENCH_CALL_RANDOM:
        return random_below(r, n);
    case PGBENCH_CALL_ZIPFIAN:
        zipf_init(&zipf, n, parameter);
        return zipf_next(&zipf, r);
    case PGBENCH_CALL_EXPONENTIAL: {
        const double cut = exp(-parameter);
        x = -log(cut + (1 - cut) * (1 - random_unit(r))) / parameter;
        break;
    }
    default: // the middle of the normal distribution, 'parameter' wide
        do {
            const double length = sqrt(-2 * log(1 - random_unit(r)));
            x = length * sin(2 * pi * random_unit(r));
        } while (x < -parameter || x >= parameter);
        x = (x + parameter) / (2 * parameter);
    }
    const double at = x * (double)n;
    return at >= (double)n ? n - 1 : (uint64_t)at;
}

static bool
draw_between(enum pgbench_function kind, const struct pgbench_number *a,
             struct random *r, struct pgbench_number *out, struct err *err)
{
    const double parameter = kind == PGBENCH_CALL_RANDOM ? 0 : as_real(a[2]);
    if (a[0].is_real || a[1].is_real || a[0].integer > a[1].integer)
        return err_set(err, ERR_SYNTAX,
                       "found the range %.17g to %.17g, expected two integers "
                       "in order",
                       as_real(a[0]), as_real(a[1]));
    const double least = kind == PGBENCH_CALL_ZIPFIAN    ? 1.001
                         : kind == PGBENCH_CALL_GAUSSIAN ? 2
                                                         : 1e-6;
    if (kind != PGBENCH_CALL_RANDOM &&
        !(parameter >= least && parameter <= 1000))
        return err_set(err, ERR_SYNTAX,
                       "found the parameter %g of a distribution, expected %g "
                       "to 1000",
                       parameter, least);
    const uint64_t n = (uint64_t)a[1].integer - (uint64_t)a[0].integer + 1;
    if (n == 0)
        return err_set(err, ERR_SYNTAX, "a range that is too large");
    *out = pgbench_integer(
        (int64_t)((uint64_t)a[0].integer + draw(kind, n, parameter, r)));
    return true;
}

bool
pgbench_call(enum pgbench_function kind, const struct pgbench_number *a,
             size_t n, struct random *r, struct pgbench_number *out,
             struct err *err)
{
    switch (kind) {
    case PGBENCH_CALL_ABS:
        if (!a->is_real && a->integer == INT64_MIN)
            return err_set(err, ERR_SYNTAX, "a number that is too large");
        *out = a->is_real ? pgbench_real(fabs(a->real))
                          : pgbench_integer(llabs(a->integer));
        return true;
    case PGBENCH_CALL_INT:
        if (a->is_real && !(fabs(a->real) < 9e18))
            return err_set(err, ERR_SYNTAX, "a number that is too large");
        *out = a->is_real ? pgbench_integer((int64_t)rint(a->real)) : *a;
        return true;
    case PGBENCH_CALL_MOD:
        return pgbench_compute(PGBENCH_MODULO, a[0], a[1], out, err);
    case PGBENCH_CALL_LEAST:
    case PGBENCH_CALL_GREATEST:
        *out = a[0];
        for (size_t i = 1; i < n; i++) {
            const int order = compare(a[i], *out);
            if (kind == PGBENCH_CALL_LEAST ? order < 0 : order > 0)
                *out = a[i];
        }
        for (size_t i = 0; i < n; i++)
            if (a[i].is_real)
                *out = pgbench_real(as_real(*out));
        return true;
    default:
        return draw_between(kind, a, r, out, err);
    }
}
