/* term.c -- see term.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/term.h"

#include "base/library.h"
#include "base/time.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* What is used of the library; see base/library.h. */
// clang-format off
#define CALLS(F) F(Z3_del_config) F(Z3_del_context) F(Z3_mk_config) \
    F(Z3_mk_context) F(Z3_mk_bool_sort) F(Z3_mk_int_sort) F(Z3_mk_real_sort) F(Z3_mk_true) \
    F(Z3_mk_false) F(Z3_mk_fresh_const) F(Z3_mk_int64) F(Z3_mk_not) \
    F(Z3_mk_and) F(Z3_mk_or) F(Z3_mk_ite) F(Z3_mk_eq) F(Z3_mk_lt) \
    F(Z3_mk_add) F(Z3_mk_sub) F(Z3_mk_mul) F(Z3_mk_div) \
    F(Z3_mk_solver) F(Z3_solver_inc_ref) F(Z3_solver_dec_ref) \
    F(Z3_solver_assert) F(Z3_solver_push) F(Z3_solver_pop) \
    F(Z3_solver_check) F(Z3_solver_get_model) F(Z3_solver_set_params) \
    F(Z3_mk_params) F(Z3_params_inc_ref) F(Z3_params_dec_ref) \
    F(Z3_params_set_uint) F(Z3_mk_string_symbol) F(Z3_model_inc_ref) \
    F(Z3_model_dec_ref) F(Z3_model_eval) F(Z3_get_numeral_int64) \
    F(Z3_get_bool_value) F(Z3_is_numeral_ast) F(Z3_set_error_handler) \
    F(Z3_solver_to_string) F(Z3_mk_func_decl) F(Z3_mk_app) F(Z3_get_sort)
// clang-format on
static struct {
    CALLS(LIBRARY_MEMBER)
} z3;
static const char *const calls[] = {CALLS(LIBRARY_NAME)};

/* What Z3 counts of its work in a second of a processor: measured on TPC-C. */
enum { STEPS_A_SECOND = 3000000 };

bool
terms_init(struct terms *t, bool rational, struct err *err)
{
    memset(t, 0, sizeof *t);
    if (!library_load("libz3.so.4", calls, LIBRARY_LENGTH(calls), &z3, err))
        return false;
    const Z3_config config = z3.Z3_mk_config();
    t->z3 = z3.Z3_mk_context(config);
    z3.Z3_del_config(config);
    z3.Z3_set_error_handler(t->z3, NULL);
    t->solver = z3.Z3_mk_solver(t->z3);
    z3.Z3_solver_inc_ref(t->z3, t->solver);
    t->rational = rational;
    t->integer =
        rational ? z3.Z3_mk_real_sort(t->z3) : z3.Z3_mk_int_sort(t->z3);
    t->boolean = z3.Z3_mk_bool_sort(t->z3);
    t->yes = z3.Z3_mk_true(t->z3);
    t->no = z3.Z3_mk_false(t->z3);
    return true;
}

void
terms_free(struct terms *t)
{
    if (!t->z3)
        return;
    if (t->model)
        z3.Z3_model_dec_ref(t->z3, t->model);
    z3.Z3_solver_dec_ref(t->z3, t->solver);
    z3.Z3_del_context(t->z3);
    memset(t, 0, sizeof *t);
}

term
term_fresh(struct terms *t, const char *name, bool is_boolean)
{
    return z3.Z3_mk_fresh_const(t->z3, name,
                                is_boolean ? t->boolean : t->integer);
}

term
term_apply(struct terms *t, const char *name, const term *args, uint32_t n,
           bool is_boolean)
{
    enum { MOST = 40 };
    Z3_sort sorts[MOST];
    assert(n <= MOST);
    for (uint32_t i = 0; i < n; i++)
        sorts[i] = z3.Z3_get_sort(t->z3, args[i]);
    const Z3_func_decl f =
        z3.Z3_mk_func_decl(t->z3, z3.Z3_mk_string_symbol(t->z3, name), n, sorts,
                           is_boolean ? t->boolean : t->integer);
    return z3.Z3_mk_app(t->z3, f, n, args);
}

term
term_number(struct terms *t, int64_t n)
{
    return z3.Z3_mk_int64(t->z3, n, t->integer);
}

static bool
is_number(struct terms *t, term a, int64_t *n)
{
    return z3.Z3_is_numeral_ast(t->z3, a) &&
           z3.Z3_get_numeral_int64(t->z3, a, n);
}

term
term_not(struct terms *t, term a)
{
    return a == t->yes ? t->no : a == t->no ? t->yes : z3.Z3_mk_not(t->z3, a);
}

term
term_and(struct terms *t, term a, term b)
{
    if (a == t->no || b == t->no)
        return t->no;
    if (a == t->yes || a == b)
        return b;
    if (b == t->yes)
        return a;
    return z3.Z3_mk_and(t->z3, 2, (const Z3_ast[]){a, b});
}

term
term_or(struct terms *t, term a, term b)
{
    if (a == t->yes || b == t->yes)
        return t->yes;
    if (a == t->no || a == b)
        return b;
    if (b == t->no)
        return a;
    return z3.Z3_mk_or(t->z3, 2, (const Z3_ast[]){a, b});
}

term
term_implies(struct terms *t, term a, term b)
{
    return term_or(t, term_not(t, a), b);
}

term
term_if(struct terms *t, term condition, term a, term b)
{
    if (condition == t->yes || a == b)
        return a;
    if (condition == t->no)
        return b;
    if (a == t->yes)
        return term_or(t, condition, b);
    if (a == t->no)
        return term_and(t, term_not(t, condition), b);
    if (b == t->yes)
        return term_or(t, term_not(t, condition), a);
    if (b == t->no)
        return term_and(t, condition, a);
    return z3.Z3_mk_ite(t->z3, condition, a, b);
}

term
term_equal(struct terms *t, term a, term b)
{
    int64_t x, y;
    if (a == b)
        return t->yes;
    if (a == t->yes || b == t->yes)
        return a == t->yes ? b : a;
    if (a == t->no || b == t->no)
        return term_not(t, a == t->no ? b : a);
    if (is_number(t, a, &x) && is_number(t, b, &y))
        return x == y ? t->yes : t->no;
    return z3.Z3_mk_eq(t->z3, a, b);
}

term
term_less(struct terms *t, term a, term b)
{
    int64_t x, y;
    if (a == b)
        return t->no;
    if (is_number(t, a, &x) && is_number(t, b, &y))
        return x < y ? t->yes : t->no;
    return z3.Z3_mk_lt(t->z3, a, b);
}

term
term_at_most(struct terms *t, term a, term b)
{
    return term_not(t, term_less(t, b, a));
}

term
term_add(struct terms *t, term a, term b)
{
    int64_t x, y, sum;
    const bool p = is_number(t, a, &x), q = is_number(t, b, &y);
    if (p && q && !__builtin_add_overflow(x, y, &sum))
        return term_number(t, sum);
    if (p && x == 0)
        return b;
    if (q && y == 0)
        return a;
    return z3.Z3_mk_add(t->z3, 2, (const Z3_ast[]){a, b});
}

term
term_subtract(struct terms *t, term a, term b)
{
    int64_t x, y, difference;
    const bool p = is_number(t, a, &x), q = is_number(t, b, &y);
    if (p && q && !__builtin_sub_overflow(x, y, &difference))
        return term_number(t, difference);
    if (q && y == 0)
        return a;
    return z3.Z3_mk_sub(t->z3, 2, (const Z3_ast[]){a, b});
}

term
term_multiply(struct terms *t, term a, term b)
{
    int64_t x, y, product;
    if (is_number(t, a, &x) && is_number(t, b, &y) &&
        !__builtin_mul_overflow(x, y, &product))
        return term_number(t, product);
    return z3.Z3_mk_mul(t->z3, 2, (const Z3_ast[]){a, b});
}

term
term_divide(struct terms *t, term a, term b)
{
    assert(!t->rational);
    // Z3 leaves a remainder that is not negative; for a dividend that is not
    // negative either, that is division towards zero.
    const term zero = term_number(t, 0);
    const term negated = term_subtract(t, zero, a);
    return term_if(t, term_less(t, a, zero),
                   term_subtract(t, zero, z3.Z3_mk_div(t->z3, negated, b)),
                   z3.Z3_mk_div(t->z3, a, b));
}

term
term_modulo(struct terms *t, term a, term b)
{
    return term_subtract(t, a, term_multiply(t, b, term_divide(t, a, b)));
}

void
term_assert(struct terms *t, term a)
{
    if (a != t->yes)
        z3.Z3_solver_assert(t->z3, t->solver, a);
}

void
terms_push(struct terms *t)
{
    z3.Z3_solver_push(t->z3, t->solver);
}

void
terms_pop(struct terms *t)
{
    z3.Z3_solver_pop(t->z3, t->solver, 1);
}

static Z3_lbool
check(struct terms *t, double seconds)
{
    const double steps = seconds * STEPS_A_SECOND;
    const unsigned work = steps < 1           ? 1
                          : steps >= UINT_MAX ? UINT_MAX
                                              : (unsigned)steps;
    const Z3_params params = z3.Z3_mk_params(t->z3);
    z3.Z3_params_inc_ref(t->z3, params);
    z3.Z3_params_set_uint(t->z3, params,
                          z3.Z3_mk_string_symbol(t->z3, "rlimit"), work);
    z3.Z3_solver_set_params(t->z3, t->solver, params);
    z3.Z3_params_dec_ref(t->z3, params);
    return z3.Z3_solver_check(t->z3, t->solver);
}

/* Z3 counts time as it passes.  Where other programs had most of it, the
 * solver goes on until it has had its own time, so that what it gives up on
 * does not depend on how busy the machine is. */
static Z3_lbool
check_for(struct terms *t, double seconds)
{
    enum { MOST_TIMES = 20 };
    Z3_lbool answer = Z3_L_UNDEF;
    double left = seconds;
    for (uint32_t i = 0; i < MOST_TIMES && left > seconds / 100; i++) {
        const double start = time_now();
        const double used = time_cpu();
        answer = check(t, left);
        if (answer != Z3_L_UNDEF || time_now() - start < left * 0.9)
            break; // or it gave up for another reason
        left -= time_cpu() - used;
    }
    return answer;
}

enum answer
terms_check(struct terms *t, double seconds)
{
    t->checks++;
    const Z3_lbool answer = check_for(t, seconds);
    if (answer == Z3_L_TRUE) {
        if (t->model)
            z3.Z3_model_dec_ref(t->z3, t->model);
        t->model = z3.Z3_solver_get_model(t->z3, t->solver);
        z3.Z3_model_inc_ref(t->z3, t->model);
    }
    return answer == Z3_L_TRUE    ? ANSWER_YES
           : answer == Z3_L_FALSE ? ANSWER_NO
                                  : ANSWER_UNKNOWN;
}

const char *
terms_text(struct terms *t)
{
    return z3.Z3_solver_to_string(t->z3, t->solver);
}

int64_t
term_value(struct terms *t, term a)
{
    Z3_ast value = NULL;
    int64_t n = 0;
    assert(t->model);
    if (z3.Z3_model_eval(t->z3, t->model, a, true, &value))
        z3.Z3_get_numeral_int64(t->z3, value, &n);
    return n;
}

bool
term_truth(struct terms *t, term a)
{
    Z3_ast value = NULL;
    assert(t->model);
    return z3.Z3_model_eval(t->z3, t->model, a, true, &value) &&
           z3.Z3_get_bool_value(t->z3, value) == Z3_L_TRUE;
}
