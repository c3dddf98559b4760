/* predicate_evaluate.c -- the value of a condition on a row; see predicate.h.
 *
 * A stack machine runs the steps.  The values of its stack are ordered: false,
 * unknown, true, so that AND is the least of two, OR the greatest, and NOT
 * counts from the other end.
 *
 * SPDX-License-Identifier: MIT */
#include "history/row/predicate.h"

struct evaluation {
    const struct predicate *p;
    struct row_cells row;
    const struct strings *names;
    struct err *err;
};

static const struct row_datum *
find_column(struct row_cells row, uint32_t column)
{
    for (size_t i = 0; i < row.n; i++)
        if (row.at[i].column == column)
            return &row.at[i].datum;
    return NULL;
}

static bool
value_of(const struct evaluation *e, uint32_t operand, struct row_datum *out)
{
    assert(operand < e->p->operands.n);
    const struct predicate_operand *o = &e->p->operands.at[operand];
    if (!o->is_column) {
        *out = o->datum;
        return true;
    }
    const struct row_datum *found = find_column(e->row, o->column);
    if (found) {
        *out = *found;
        return true;
    }
    char shown[ERR_QUOTE_ROOM];
    const struct string name = strings_get(e->names, o->column);
    err_quote(shown, sizeof shown, name.text, name.len);
    return err_set(e->err, ERR_SYNTAX,
                   "found '%s', expected a column of the table", shown);
}

static int
compare_text(const struct evaluation *e, uint32_t a, uint32_t b)
{
    const struct string x = strings_get(e->names, a);
    const struct string y = strings_get(e->names, b);
    const int order = memcmp(x.text, y.text, x.len < y.len ? x.len : y.len);
    return order ? order : x.len < y.len ? -1 : x.len > y.len;
}

/* Compare operands a and b. */
static bool
compare(const struct evaluation *e, enum predicate_sign c, uint32_t a,
        uint32_t b, enum row_truth *out)
{
    struct row_datum x = {0}, y = {0};
    if (!value_of(e, a, &x) || !value_of(e, b, &y))
        return false;
    *out = ROW_UNKNOWN;
    if (x.type == ROW_DATUM_NULL || y.type == ROW_DATUM_NULL)
        return true;
    if (x.type != y.type)
        return err_set(e->err, ERR_SYNTAX,
                       "the condition compares an integer with text, expected "
                       "values of one type");
    const int order = x.type == ROW_DATUM_TEXT ? compare_text(e, x.text, y.text)
                      : x.number < y.number    ? -1
                                               : x.number > y.number;
    const bool is = c == SIGN_EQUAL        ? order == 0
                    : c == SIGN_NOT_EQUAL  ? order != 0
                    : c == SIGN_LESS       ? order < 0
                    : c == SIGN_LESS_EQUAL ? order <= 0
                    : c == SIGN_GREATER    ? order > 0
                                           : order >= 0;
    *out = is ? ROW_TRUE : ROW_FALSE;
    return true;
}

static enum row_truth
negated(enum row_truth x)
{
    return (enum row_truth)(ROW_TRUE - x);
}

static enum row_truth
least(enum row_truth x, enum row_truth y)
{
    return x < y ? x : y;
}

static enum row_truth
greatest(enum row_truth x, enum row_truth y)
{
    return x > y ? x : y;
}

/* IN: equal to one of the values. */
static bool
find_in(const struct evaluation *e, const struct predicate_step *step,
        enum row_truth *out)
{
    *out = ROW_FALSE;
    for (uint32_t i = 0; i < step->n; i++) {
        enum row_truth same = ROW_UNKNOWN;
        if (!compare(e, SIGN_EQUAL, step->a, step->b + i, &same))
            return false;
        *out = greatest(*out, same);
    }
    return true;
}

/* The value of a condition that has no conditions in it. */
static bool
evaluate_condition(const struct evaluation *e,
                   const struct predicate_step *step, enum row_truth *out)
{
    struct row_datum x = {0};
    enum row_truth upper = ROW_UNKNOWN;
    switch (step->kind) {
    case STEP_CONSTANT:
        *out = step->truth;
        return true;
    case STEP_COMPARE:
        return compare(e, step->comparison, step->a, step->b, out);
    case STEP_IN:
        return find_in(e, step, out);
    case STEP_BETWEEN:
        if (!compare(e, SIGN_GREATER_EQUAL, step->a, step->b, out) ||
            !compare(e, SIGN_LESS_EQUAL, step->a, step->b + 1, &upper))
            return false;
        *out = least(*out, upper);
        return true;
    default:
        assert(step->kind == STEP_IS_NULL);
        if (!value_of(e, step->a, &x))
            return false;
        *out = x.type == ROW_DATUM_NULL ? ROW_TRUE : ROW_FALSE;
        return true;
    }
}

/* Do one step; the stack has *n values. */
static bool
run_step(const struct evaluation *e, const struct predicate_step *step,
         enum row_truth *stack, size_t *n)
{
    if (step->kind == STEP_AND || step->kind == STEP_OR) {
        assert(*n >= 2);
        --*n;
        stack[*n - 1] = step->kind == STEP_AND
                            ? least(stack[*n - 1], stack[*n])
                            : greatest(stack[*n - 1], stack[*n]);
        return true;
    }
    if (step->kind == STEP_NOT) {
        assert(*n >= 1);
        stack[*n - 1] = negated(stack[*n - 1]);
        return true;
    }
    enum row_truth value = ROW_UNKNOWN;
    if (!evaluate_condition(e, step, &value))
        return false;
    stack[(*n)++] = step->is_negated ? negated(value) : value;
    return true;
}

bool
predicate_evaluate(const struct predicate *p, struct row_cells row,
                   const struct strings *names, enum row_truth *out,
                   struct err *err)
{
    const struct evaluation e = {p, row, names, err};
    enum row_truth *stack = mem_alloc(p->steps.n, sizeof *stack);
    size_t n = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < p->steps.n; i++)
        ok = run_step(&e, &p->steps.at[i], stack, &n);
    assert(!ok || n == 1); // (2) of predicate.c
    if (ok)
        *out = stack[0];
    mem_free(stack);
    return ok;
}

bool
predicate_is_answered(const struct predicate *p, struct row_cells row)
{
    for (size_t i = 0; i < p->operands.n; i++)
        if (p->operands.at[i].is_column &&
            !find_column(row, p->operands.at[i].column))
            return false;
    return true;
}
