/* pgbench_expression.c -- see pgbench_expression.h.
 *
 * Two stacks, of values and of operators that wait for their right side.  A
 * parenthesis waits as well, with the function that it belongs to.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/program/pgbench/pgbench_expression.h"

#include "base/ascii.h"
#include "base/real.h"
#include "prove/program/pgbench/pgbench_compute.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 64 };

static const struct {
    const char *text;
    enum pgbench_operator kind;
} binary[] = {
    {"or", PGBENCH_OR},      {"and", PGBENCH_AND},    {"<>", PGBENCH_UNEQUAL},
    {"!=", PGBENCH_UNEQUAL}, {"<=", PGBENCH_AT_MOST}, {">=", PGBENCH_AT_LEAST},
    {"<", PGBENCH_LESS},     {">", PGBENCH_GREATER},  {"=", PGBENCH_EQUAL},
    {"+", PGBENCH_PLUS},     {"-", PGBENCH_MINUS},    {"*", PGBENCH_TIMES},
    {"/", PGBENCH_OVER},     {"%", PGBENCH_MODULO},
};

static const int precedence[] = {
    [PGBENCH_OR] = 1,       [PGBENCH_AND] = 2,     [PGBENCH_NOT] = 3,
    [PGBENCH_EQUAL] = 4,    [PGBENCH_UNEQUAL] = 4, [PGBENCH_AT_MOST] = 4,
    [PGBENCH_AT_LEAST] = 4, [PGBENCH_LESS] = 4,    [PGBENCH_GREATER] = 4,
    [PGBENCH_PLUS] = 5,     [PGBENCH_MINUS] = 5,   [PGBENCH_TIMES] = 6,
    [PGBENCH_OVER] = 6,     [PGBENCH_MODULO] = 6,  [PGBENCH_NEGATE] = 7,
    [PGBENCH_OPEN] = 0,
};

static const struct {
    const char *name;
    enum pgbench_function kind;
    size_t fewest, most; // arguments
} functions[] = {
    {"random", PGBENCH_CALL_RANDOM, 2, 2},
    {"random_zipfian", PGBENCH_CALL_ZIPFIAN, 3, 3},
    {"random_exponential", PGBENCH_CALL_EXPONENTIAL, 3, 3},
    {"random_gaussian", PGBENCH_CALL_GAUSSIAN, 3, 3},
    {"abs", PGBENCH_CALL_ABS, 1, 1},
    {"least", PGBENCH_CALL_LEAST, 1, DEPTH},
    {"greatest", PGBENCH_CALL_GREATEST, 1, DEPTH},
    {"mod", PGBENCH_CALL_MOD, 2, 2},
    {"int", PGBENCH_CALL_INT, 1, 1},
};

/* --- the two stacks --------------------------------------------------------*/

struct waiting {
    enum pgbench_operator kind;
    enum pgbench_function function; // OPEN
    size_t values;                  // OPEN: that there were before it
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
push_waiting(struct machine *m, enum pgbench_operator kind,
             enum pgbench_function function)
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
    while (m->n_waiting && m->waiting[m->n_waiting - 1].kind != PGBENCH_OPEN &&
           precedence[m->waiting[m->n_waiting - 1].kind] >= strength) {
        const enum pgbench_operator kind = m->waiting[--m->n_waiting].kind;
        struct pgbench_number *top = &m->values[m->n_values - 1];
        assert(m->n_values);
        if (kind == PGBENCH_NOT) {
            *top = pgbench_integer(!pgbench_is_true(*top));
        } else if (kind == PGBENCH_NEGATE) {
            if (!pgbench_compute(PGBENCH_MINUS, pgbench_integer(0), *top, top,
                                 m->err))
                return false;
        } else {
            assert(m->n_values > 1);
            m->n_values--;
            if (!pgbench_compute(kind, top[-1], *top, top - 1, m->err))
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
    if (open.function != PGBENCH_CALL_NONE &&
        !pgbench_call(open.function, &m->values[open.values], n, m->random, &x,
                      m->err))
        return false;
    m->n_values = open.values;
    return push_value(m, x);
}

/* --- what is read ----------------------------------------------------------*/

/* A number that takes all of a text, an integer one of 64 bits. */
static bool
parse_number(const char *text, struct pgbench_number *out)
{
    char *end;
    errno = 0;
    const long long i = strtoll(text, &end, 10);
    *out = pgbench_integer(i);
    if (*text && !*end)
        return errno != ERANGE;
    const char *rest;
    *out = pgbench_real(real_read(text, &rest));
    return *text && !*rest && isfinite(out->real);
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
        x = pgbench_real(bound->real);
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
    *has_value = ascii_is_digit(c) || c == '.' || c == ':';
    if (*has_value)
        return c == ':' ? take_variable(m) : take_number(m);
    if (c == '(' || c == '-' || c == '+') {
        m->at++;
        return c == '+' ||
               push_waiting(m, c == '(' ? PGBENCH_OPEN : PGBENCH_NEGATE,
                            PGBENCH_CALL_NONE);
    }
    const size_t n = pgbench_word_length(m->at);
    if (pgbench_begins_with(m->at, "not")) {
        m->at += n;
        return push_waiting(m, PGBENCH_NOT, PGBENCH_CALL_NONE);
    }
    if (pgbench_begins_with(m->at, "true") ||
        pgbench_begins_with(m->at, "false")) {
        *has_value = true;
        m->at += n;
        return push_value(m, pgbench_integer(n == 4));
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (pgbench_begins_with(m->at, functions[i].name)) {
            const char *open = m->at + n;
            while (open < m->end && ascii_is_space(*open))
                open++;
            if (open == m->end || *open != '(')
                return fail_here(m, "'(' after it");
            m->at = open + 1;
            return push_waiting(m, PGBENCH_OPEN, functions[i].kind);
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
            m->waiting[m->n_waiting - 1].function == PGBENCH_CALL_NONE)
            return fail_here(m, "an operator");
        m->at++;
        return true;
    }
    for (size_t i = 0; i < sizeof binary / sizeof *binary; i++) {
        const size_t n = strlen(binary[i].text);
        const bool is_word = ascii_is_alpha(binary[i].text[0]);
        if (is_word ? !pgbench_begins_with(m->at, binary[i].text)
                    : strncmp(m->at, binary[i].text, n) != 0)
            continue;
        m->at += n;
        return apply(m, precedence[binary[i].kind]) &&
               push_waiting(m, binary[i].kind, PGBENCH_CALL_NONE);
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
        while (m.at < m.end && (ascii_is_space(*m.at) || *m.at == '\\'))
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
