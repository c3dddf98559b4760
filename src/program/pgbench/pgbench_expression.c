/* pgbench_expression.c -- see pgbench_expression.h.
 *
 * Two stacks, of values and of operators that wait for their right side.  A
 * parenthesis waits as well, with the function that it belongs to.
 *
 * SPDX-License-Identifier: MIT */
#include "program/pgbench/pgbench_expression.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DEPTH = 64 };

/* --- numbers ---------------------------------------------------------------*/

static struct pgbench_number
integer(int64_t x)
{
    return (struct pgbench_number){.integer = x};
}

static struct pgbench_number
real(double x)
{
    return (struct pgbench_number){.is_real = true, .real = x};
}

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

/* A number that takes all of a text, an integer one of 64 bits. */
static bool
parse_number(const char *text, struct pgbench_number *out)
{
    char *end;
    errno = 0;
    const long long i = strtoll(text, &end, 10);
    *out = integer(i);
    if (*text && !*end)
        return errno != ERANGE;
    *out = real(strtod(text, &end));
    return *text && !*end && isfinite(out->real);
}

/* --- operators -------------------------------------------------------------*/

enum operator_kind {
    OP_OR,
    OP_AND,
    OP_NOT,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_AT_MOST,
    OP_AT_LEAST,
    OP_LESS,
    OP_GREATER,
    OP_PLUS,
    OP_MINUS,
    OP_TIMES,
    OP_OVER,
    OP_MODULO,
    OP_NEGATE,
    OP_OPEN, // a parenthesis
};

static const struct {
    const char *text;
    enum operator_kind kind;
} binary[] = {
    {"or", OP_OR},      {"and", OP_AND},    {"<>", OP_UNEQUAL},
    {"!=", OP_UNEQUAL}, {"<=", OP_AT_MOST}, {">=", OP_AT_LEAST},
    {"<", OP_LESS},     {">", OP_GREATER},  {"=", OP_EQUAL},
    {"+", OP_PLUS},     {"-", OP_MINUS},    {"*", OP_TIMES},
    {"/", OP_OVER},     {"%", OP_MODULO},
};

static const int precedence[] = {
    [OP_OR] = 1,      [OP_AND] = 2,     [OP_NOT] = 3,      [OP_EQUAL] = 4,
    [OP_UNEQUAL] = 4, [OP_AT_MOST] = 4, [OP_AT_LEAST] = 4, [OP_LESS] = 4,
    [OP_GREATER] = 4, [OP_PLUS] = 5,    [OP_MINUS] = 5,    [OP_TIMES] = 6,
    [OP_OVER] = 6,    [OP_MODULO] = 6,  [OP_NEGATE] = 7,   [OP_OPEN] = 0,
};

static bool
compute_real(enum operator_kind kind, double a, double b,
             struct pgbench_number *out, struct err *err)
{
    switch (kind) {
    case OP_PLUS:
        *out = real(a + b);
        return true;
    case OP_MINUS:
        *out = real(a - b);
        return true;
    case OP_TIMES:
        *out = real(a * b);
        return true;
    case OP_OVER:
        *out = real(a / b);
        return b != 0 || err_set(err, ERR_SYNTAX, "division by zero");
    default:
        return err_set(err, ERR_SYNTAX,
                       "found a real number, expected an integer before and "
                       "after '%%'");
    }
}

static bool
compute_integer(enum operator_kind kind, int64_t a, int64_t b,
                struct pgbench_number *out, struct err *err)
{
    int64_t x = 0;
    bool is_large = false;
    if (kind == OP_OVER || kind == OP_MODULO) {
        if (b == 0)
            return err_set(err, ERR_SYNTAX, "division by zero");
        is_large = a == INT64_MIN && b == -1;
        if (!is_large)
            x = kind == OP_OVER ? a / b : a % b;
    } else if (kind == OP_PLUS) {
        is_large = __builtin_add_overflow(a, b, &x);
    } else if (kind == OP_MINUS) {
        is_large = __builtin_sub_overflow(a, b, &x);
    } else {
        is_large = __builtin_mul_overflow(a, b, &x);
    }
    *out = integer(x);
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

static bool
compute(enum operator_kind kind, struct pgbench_number a,
        struct pgbench_number b, struct pgbench_number *out, struct err *err)
{
    const int order = compare(a, b);
    switch (kind) {
    case OP_OR:
        *out = integer(pgbench_is_true(a) || pgbench_is_true(b));
        return true;
    case OP_AND:
        *out = integer(pgbench_is_true(a) && pgbench_is_true(b));
        return true;
    case OP_EQUAL:
        *out = integer(order == 0);
        return true;
    case OP_UNEQUAL:
        *out = integer(order != 0);
        return true;
    case OP_AT_MOST:
        *out = integer(order <= 0);
        return true;
    case OP_AT_LEAST:
        *out = integer(order >= 0);
        return true;
    case OP_LESS:
        *out = integer(order < 0);
        return true;
    case OP_GREATER:
        *out = integer(order > 0);
        return true;
    default:
        return a.is_real || b.is_real
                   ? compute_real(kind, as_real(a), as_real(b), out, err)
                   : compute_integer(kind, a.integer, b.integer, out, err);
    }
}

/* --- functions -------------------------------------------------------------*/

enum function_kind {
    FUNCTION_NONE,
    FUNCTION_RANDOM,
    FUNCTION_ZIPFIAN,
    FUNCTION_EXPONENTIAL,
    FUNCTION_GAUSSIAN,
    FUNCTION_ABS,
    FUNCTION_LEAST,
    FUNCTION_GREATEST,
    FUNCTION_MOD,
    FUNCTION_INT,
};

static const struct {
    const char *name;
    enum function_kind kind;
    size_t fewest, most; // arguments
} functions[] = {
    {"random", FUNCTION_RANDOM, 2, 2},
    {"random_zipfian", FUNCTION_ZIPFIAN, 3, 3},
    {"random_exponential", FUNCTION_EXPONENTIAL, 3, 3},
    {"random_gaussian", FUNCTION_GAUSSIAN, 3, 3},
    {"abs", FUNCTION_ABS, 1, 1},
    {"least", FUNCTION_LEAST, 1, DEPTH},
    {"greatest", FUNCTION_GREATEST, 1, DEPTH},
    {"mod", FUNCTION_MOD, 2, 2},
    {"int", FUNCTION_INT, 1, 1},
};

/* A number of 0 .. n-1 by one of the distributions. */
static uint64_t
draw(enum function_kind kind, uint64_t n, double parameter, struct random *r)
{
    const double pi = 3.14159265358979323846;
    double x = 0;
    struct zipf zipf;
    switch (kind) {
    case FUNCTION_RANDOM:
        return random_below(r, n);
    case FUNCTION_ZIPFIAN:
        zipf_init(&zipf, n, parameter);
        return zipf_next(&zipf, r);
    case FUNCTION_EXPONENTIAL: {
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
draw_between(enum function_kind kind, const struct pgbench_number *a,
             struct random *r, struct pgbench_number *out, struct err *err)
{
    const double parameter = kind == FUNCTION_RANDOM ? 0 : as_real(a[2]);
    if (a[0].is_real || a[1].is_real || a[0].integer > a[1].integer)
        return err_set(err, ERR_SYNTAX,
                       "found the range %.17g to %.17g, expected two integers "
                       "in order",
                       as_real(a[0]), as_real(a[1]));
    const double least = kind == FUNCTION_ZIPFIAN    ? 1.001
                         : kind == FUNCTION_GAUSSIAN ? 2
                                                     : 1e-6;
    if (kind != FUNCTION_RANDOM && !(parameter >= least && parameter <= 1000))
        return err_set(err, ERR_SYNTAX,
                       "found the parameter %g of a distribution, expected %g "
                       "to 1000",
                       parameter, least);
    const uint64_t n = (uint64_t)a[1].integer - (uint64_t)a[0].integer + 1;
    if (n == 0)
        return err_set(err, ERR_SYNTAX, "a range that is too large");
    *out = integer(
        (int64_t)((uint64_t)a[0].integer + draw(kind, n, parameter, r)));
    return true;
}

static bool
call(enum function_kind kind, const struct pgbench_number *a, size_t n,
     struct random *r, struct pgbench_number *out, struct err *err)
{
    switch (kind) {
    case FUNCTION_ABS:
        if (!a->is_real && a->integer == INT64_MIN)
            return err_set(err, ERR_SYNTAX, "a number that is too large");
        *out = a->is_real ? real(fabs(a->real)) : integer(llabs(a->integer));
        return true;
    case FUNCTION_INT:
        if (a->is_real && !(fabs(a->real) < 9e18))
            return err_set(err, ERR_SYNTAX, "a number that is too large");
        *out = a->is_real ? integer((int64_t)rint(a->real)) : *a;
        return true;
    case FUNCTION_MOD:
        return compute(OP_MODULO, a[0], a[1], out, err);
    case FUNCTION_LEAST:
    case FUNCTION_GREATEST:
        *out = a[0];
        for (size_t i = 1; i < n; i++) {
            const int order = compare(a[i], *out);
            if (kind == FUNCTION_LEAST ? order < 0 : order > 0)
                *out = a[i];
        }
        for (size_t i = 0; i < n; i++)
            if (a[i].is_real)
                *out = real(as_real(*out));
        return true;
    default:
        return draw_between(kind, a, r, out, err);
    }
}

/* --- the two stacks --------------------------------------------------------*/

struct waiting {
    enum operator_kind kind;
    enum function_kind function; // OPEN
    size_t values;               // OPEN: that there were before it
};

struct machine {
    const char *at, *end;
    const struct pgbench_bindings *bindings;
    struct random *random;
    struct pgbench_number values[DEPTH];
    struct waiting waiting[DEPTH];
    size_t n_values, n_waiting;
    struct err *err;
};

static bool
fail_here(struct machine *m, const char *expected)
{
    char quoted[ERR_QUOTE_ROOM];
    size_t n = 0;
    while (m->at + n < m->end && pgbench_is_word(m->at[n]))
        n++;
    if (!n)
        n = m->at < m->end;
    return err_set(m->err, ERR_SYNTAX, "found '%s', expected %s",
                   n ? err_quote(quoted, sizeof quoted, m->at, n)
                     : "the end of the line",
                   expected);
}

static bool
push_value(struct machine *m, struct pgbench_number x)
{
    if (m->n_values == DEPTH)
        return err_set(m->err, ERR_SYNTAX, "an expression that is too deep");
    m->values[m->n_values++] = x;
    return true;
}

static bool
push_waiting(struct machine *m, enum operator_kind kind,
             enum function_kind function)
{
    if (m->n_waiting == DEPTH)
        return err_set(m->err, ERR_SYNTAX, "an expression that is too deep");
    m->waiting[m->n_waiting++] = (struct waiting){kind, function, m->n_values};
    return true;
}

/* Apply what waits and binds at least as strongly. */
static bool
apply(struct machine *m, int strength)
{
    while (m->n_waiting && m->waiting[m->n_waiting - 1].kind != OP_OPEN &&
           precedence[m->waiting[m->n_waiting - 1].kind] >= strength) {
        const enum operator_kind kind = m->waiting[--m->n_waiting].kind;
        struct pgbench_number *top = &m->values[m->n_values - 1];
        assert(m->n_values);
        if (kind == OP_NOT) {
            *top = integer(!pgbench_is_true(*top));
        } else if (kind == OP_NEGATE) {
            if (!compute(OP_MINUS, integer(0), *top, top, m->err))
                return false;
        } else {
            assert(m->n_values > 1);
            m->n_values--;
            if (!compute(kind, top[-1], *top, top - 1, m->err))
                return false;
        }
    }
    return true;
}

/* A closing parenthesis: of a function, its arguments become its value. */
static bool
close_parenthesis(struct machine *m)
{
    if (!apply(m, 0))
        return false;
    if (!m->n_waiting)
        return fail_here(m, "an operator or the end of the line");
    const struct waiting open = m->waiting[--m->n_waiting];
    const size_t n = m->n_values - open.values;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (functions[i].kind == open.function &&
            (n < functions[i].fewest || n > functions[i].most))
            return err_set(
                m->err, ERR_SYNTAX, "'%s' has %zu arguments, expected %zu%s",
                functions[i].name, n, functions[i].fewest,
                functions[i].most > functions[i].fewest ? " or more" : "");
    m->at++;
    struct pgbench_number x = m->values[open.values];
    if (open.function != FUNCTION_NONE &&
        !call(open.function, &m->values[open.values], n, m->random, &x, m->err))
        return false;
    m->n_values = open.values;
    return push_value(m, x);
}

static bool
take_variable(struct machine *m)
{
    const size_t n = pgbench_word_length(m->at + 1);
    const struct pgbench_binding *bound =
        pgbench_find(m->bindings, m->at + 1, n);
    struct pgbench_number x;
    char quoted[ERR_QUOTE_ROOM];
    if (!bound)
        return err_set(m->err, ERR_SYNTAX, "variable ':%.*s' has no value",
                       (int)n, m->at + 1);
    if (!parse_number(bound->sql.at, &x))
        return err_set(
            m->err, ERR_SYNTAX, "variable ':%.*s' is %s, expected a number",
            (int)n, m->at + 1,
            err_quote(quoted, sizeof quoted, bound->sql.at, bound->sql.n));
    if (bound->is_real)
        x = real(bound->real);
    m->at += 1 + n;
    return push_value(m, x);
}

static bool
take_number(struct machine *m)
{
    char text[48];
    size_t n = 0;
    struct pgbench_number x;
    while (m->at + n < m->end && n + 1 < sizeof text &&
           (pgbench_is_word(m->at[n]) || m->at[n] == '.'))
        n++;
    memcpy(text, m->at, n);
    text[n] = 0;
    if (!parse_number(text, &x))
        return fail_here(m, "a number");
    m->at += n;
    return push_value(m, x);
}

/* A number, a variable, a sign, a parenthesis or a function.  *has_value: an
 * operator comes next. */
static bool
take_operand(struct machine *m, bool *has_value)
{
    static const char expected[] =
        "a number, a variable, random, random_zipfian, random_exponential, "
        "random_gaussian, abs, least, greatest, mod, int or '('";
    if (m->at == m->end)
        return fail_here(m, expected);
    const char c = *m->at;
    *has_value = isdigit((unsigned char)c) || c == '.' || c == ':';
    if (*has_value)
        return c == ':' ? take_variable(m) : take_number(m);
    if (c == '(' || c == '-' || c == '+') {
        m->at++;
        return c == '+' ||
               push_waiting(m, c == '(' ? OP_OPEN : OP_NEGATE, FUNCTION_NONE);
    }
    const size_t n = pgbench_word_length(m->at);
    if (pgbench_begins_with(m->at, "not")) {
        m->at += n;
        return push_waiting(m, OP_NOT, FUNCTION_NONE);
    }
    if (pgbench_begins_with(m->at, "true") ||
        pgbench_begins_with(m->at, "false")) {
        *has_value = true;
        m->at += n;
        return push_value(m, integer(n == 4));
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (pgbench_begins_with(m->at, functions[i].name)) {
            const char *open = m->at + n;
            while (open < m->end && isspace((unsigned char)*open))
                open++;
            if (open == m->end || *open != '(')
                return fail_here(m, "'(' after it");
            m->at = open + 1;
            return push_waiting(m, OP_OPEN, functions[i].kind);
        }
    return fail_here(m, expected);
}

/* An operator, a comma or a closing parenthesis. */
static bool
take_operator(struct machine *m, bool *has_value)
{
    if (*m->at == ')')
        return close_parenthesis(m);
    *has_value = false;
    if (*m->at == ',') {
        if (!apply(m, 0))
            return false;
        if (!m->n_waiting ||
            m->waiting[m->n_waiting - 1].function == FUNCTION_NONE)
            return fail_here(m, "an operator");
        m->at++;
        return true;
    }
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        const size_t n = strlen(binary[i].text);
        const bool is_word = isalpha((unsigned char)binary[i].text[0]);
        if (is_word ? !pgbench_begins_with(m->at, binary[i].text)
                    : strncmp(m->at, binary[i].text, n) != 0)
            continue;
        m->at += n;
        return apply(m, precedence[binary[i].kind]) &&
               push_waiting(m, binary[i].kind, FUNCTION_NONE);
    }
    return fail_here(m, "an operator of + - * / % < <= > >= = <> and or, or "
                        "the end of the line");
}

bool
pgbench_evaluate(const char *text, size_t len, const struct pgbench_bindings *b,
                 struct random *random, struct pgbench_number *out,
                 struct err *err)
{
    struct machine m = {.at = text,
                        .end = text + len,
                        .bindings = b,
                        .random = random,
                        .err = err};
    bool has_value = false;
    for (;;) {
        while (m.at < m.end && (isspace((unsigned char)*m.at) || *m.at == '\\'))
            m.at++;
        if (m.at == m.end && has_value)
            break;
        if (!(has_value ? take_operator(&m, &has_value)
                        : take_operand(&m, &has_value)))
            return false;
    }
    if (!apply(&m, 0))
        return false;
    if (m.n_waiting)
        return fail_here(&m, "')'");
    assert(m.n_values == 1);
    *out = m.values[0];
    return true;
}
