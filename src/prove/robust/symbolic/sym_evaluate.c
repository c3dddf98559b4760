/* sym_evaluate.c -- expressions on symbols.
 *
 * The condition 'live' is narrowed where SQL evaluates only one of several
 * expressions, so that a division by zero counts only where it happens.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/runs.h"

#include <stdio.h>

static struct symbol
value_of(struct terms *t, term value)
{
    return (struct symbol){t->no, value, NULL};
}

void
sym_abort_if(struct sym_runner *r, term condition)
{
    r->run->aborts =
        term_or(r->t, r->run->aborts, term_and(r->t, r->live, condition));
}

/* The error of an expression.  A proof counts none: PostgreSQL evaluates the
 * parts of a condition in an order of its own, and some of them not at all. */
static void
abort_in_expression(struct sym_runner *r, term condition)
{
    if (!r->s->abstract)
        sym_abort_if(r, condition);
}

void
sym_uncertain_if(struct sym_runner *r, term condition)
{
    r->run->uncertain =
        term_or(r->t, r->run->uncertain, term_and(r->t, r->live, condition));
}

term
sym_holds(struct sym_runner *r, const struct expr *e)
{
    if (!e)
        return r->t->yes;
    const struct symbol x = sym_evaluate(r, e);
    if (x.opaque)
        sym_uncertain_if(r, x.opaque);
    return term_and(r->t, term_not(r->t, x.null), x.value);
}

static struct symbol
constant(struct sym_runner *r, const struct expr *e)
{
    struct terms *t = r->t;
    const term value = e->type == TYPE_BOOLEAN
                           ? (e->value.number ? t->yes : t->no)
                           : term_number(t, e->value.number);
    // Of two literals of such a type nobody knows whether they differ.
    const bool unknown =
        e->type == TYPE_OPAQUE && !e->value.null && !r->s->abstract;
    return (struct symbol){e->value.null ? t->yes : t->no, value,
                           unknown ? t->yes : NULL};
}

/* A generated value: new, or the one of the run that this repeats. */
static struct symbol
input(struct sym_runner *r, const struct expr *e)
{
    const struct input_site *site = &r->function->inputs[e->index];
    const size_t n = r->run->inputs.n;
    struct given_input given = {e->index, r->live, {0}};
    if (r->same && n < r->same->inputs.n &&
        r->same->inputs.at[n].site == e->index) {
        given.value = r->same->inputs.at[n].value;
    } else {
        for (size_t i = 0; site->kind == INPUT_MOMENT && i < n; i++) {
            const uint32_t other = r->run->inputs.at[i].site;
            if (r->function->inputs[other].kind == INPUT_MOMENT &&
                r->function->inputs[other].type == site->type)
                given.value = r->run->inputs.at[i].value;
        }
        if (!given.value.value)
            given.value = symbol_fresh(r->t, "input", site->type, true);
    }
    vec_push(&r->run->inputs, given);
    return given.value;
}

/* --- what is not understood -----------------------------------------------*/

/* Whether a value of which one is opaque is opaque, too. */
static term
both_opaque(struct terms *t, struct symbol a, struct symbol b)
{
    return a.opaque || b.opaque
               ? term_or(t, symbol_opaque(t, a), symbol_opaque(t, b))
               : NULL;
}

/* A function of its arguments, whatever it is.  A proof takes any function.
 * The search takes a value that nothing may depend on; where the function can
 * fail or give NULL, it is left open what happens. */
static struct symbol
opaque(struct sym_runner *r, const struct expr *e)
{
    enum { MOST = 18 };
    struct terms *t = r->t;
    const bool boolean = e->type == TYPE_BOOLEAN;
    term args[2 * MOST], null = t->no;
    uint32_t n = 0;
    bool all = true;
    for (const struct expr *rest = e->arg[0]; rest;
         rest = rest->kind == EXPR_LIST ? rest->arg[1] : NULL) {
        const struct symbol x =
            sym_evaluate(r, rest->kind == EXPR_LIST ? rest->arg[0] : rest);
        null = term_or(t, null, x.null);
        if (n + 2 > 2 * MOST) {
            all = false;
            continue;
        }
        args[n++] = x.null;
        args[n++] = x.value;
    }
    if (!r->s->abstract) {
        if (!e->total && !e->whole)
            sym_uncertain_if(r, t->yes);
        return (struct symbol){e->whole ? t->no : null,
                               term_fresh(t, "opaque", boolean),
                               e->whole ? t->yes : term_not(t, null)};
    }
    if (!all || !n || e->any)
        return (struct symbol){e->whole   ? t->no
                               : e->total ? null
                                          : term_fresh(t, "null", true),
                               term_fresh(t, "opaque", boolean), NULL};
    char name[100];
    snprintf(name, sizeof name, "%s?", e->name);
    return (struct symbol){e->whole   ? t->no
                           : e->total ? null
                                      : term_apply(t, name, args, n, true),
                           term_apply(t, e->name, args, n, boolean), NULL};
}

/* Whether one factor is a constant; other products are any number in a proof,
 * where the solver should not meet them. */
static bool
is_linear(const struct expr *e)
{
    return e->arg[0]->kind == EXPR_CONSTANT || e->arg[1]->kind == EXPR_CONSTANT;
}

static struct symbol
arithmetic(struct sym_runner *r, const struct expr *e, struct symbol a,
           struct symbol b)
{
    struct terms *t = r->t;
    const term null = term_or(t, a.null, b.null);
    const term unknown = both_opaque(t, a, b);
    if (unknown)
        return (struct symbol){null, term_fresh(t, "opaque", false), unknown};
    switch (e->kind) {
    case EXPR_ADD:
        return (struct symbol){null, term_add(t, a.value, b.value), NULL};
    case EXPR_SUBTRACT:
        return (struct symbol){null, term_subtract(t, a.value, b.value), NULL};
    case EXPR_MULTIPLY:
        if (r->s->abstract && !is_linear(e))
            return (struct symbol){null, term_fresh(t, "product", false), NULL};
        return (struct symbol){null, term_multiply(t, a.value, b.value), NULL};
    default:
        abort_in_expression(
            r, term_and(t, term_not(t, null),
                        term_equal(t, b.value, term_number(t, 0))));
        if (t->rational || (r->s->abstract && e->arg[1]->kind != EXPR_CONSTANT))
            return (struct symbol){null, term_fresh(t, "quotient", false),
                                   NULL};
        return (struct symbol){null,
                               e->kind == EXPR_DIVIDE
                                   ? term_divide(t, a.value, b.value)
                                   : term_modulo(t, a.value, b.value),
                               NULL};
    }
}

/* A number as another kind: one with a fraction becomes one that is at most a
 * half away. */
static struct symbol
cast(struct sym_runner *r, struct symbol a)
{
    struct terms *t = r->t;
    if (!t->rational)
        return a;
    const term rounded = term_fresh(t, "rounded", false);
    const term apart = term_subtract(t, rounded, a.value);
    const term twice = term_add(t, apart, apart);
    const term near = term_and(t, term_at_most(t, twice, term_number(t, 1)),
                               term_at_most(t, term_number(t, -1), twice));
    return (struct symbol){a.null, term_if(t, near, rounded, a.value),
                           a.opaque};
}

static term
compare(struct terms *t, const struct expr *e, term a, term b)
{
    if (e->arg[0]->type == TYPE_BOOLEAN && e->kind != EXPR_EQ &&
        e->kind != EXPR_NE) {
        // false is less than true
        const term less = term_and(t, term_not(t, a), b);
        const term greater = term_and(t, a, term_not(t, b));
        return e->kind == EXPR_LT   ? less
               : e->kind == EXPR_GT ? greater
               : e->kind == EXPR_LE ? term_not(t, greater)
                                    : term_not(t, less);
    }
    switch (e->kind) {
    case EXPR_EQ:
        return term_equal(t, a, b);
    case EXPR_NE:
        return term_not(t, term_equal(t, a, b));
    case EXPR_LT:
        return term_less(t, a, b);
    case EXPR_LE:
        return term_at_most(t, a, b);
    case EXPR_GT:
        return term_less(t, b, a);
    default:
        assert(e->kind == EXPR_GE);
        return term_at_most(t, b, a);
    }
}

/* AND and OR: NULL unless one side decides. */
static struct symbol
connect(struct terms *t, enum expr_kind kind, struct symbol a, struct symbol b)
{
    const bool is_or = kind == EXPR_OR;
    const term pa = is_or ? a.value : term_not(t, a.value);
    const term pb = is_or ? b.value : term_not(t, b.value);
    const term decided = term_or(t, term_and(t, term_not(t, a.null), pa),
                                 term_and(t, term_not(t, b.null), pb));
    return (struct symbol){
        term_and(t, term_not(t, decided), term_or(t, a.null, b.null)),
        is_or ? decided : term_not(t, decided), both_opaque(t, a, b)};
}

static struct symbol
extreme(struct terms *t, const struct expr *e, struct symbol a, struct symbol b)
{
    const term less = term_less(t, a.value, b.value);
    const term first = term_and(
        t, term_not(t, a.null),
        term_or(t, b.null, e->kind == EXPR_LEAST ? less : term_not(t, less)));
    struct symbol x = symbol_if(t, first, a, b);
    x.opaque = both_opaque(t, a, b);
    return x;
}

static struct symbol
evaluate_query(struct sym_runner *r, const struct expr *e)
{
    struct terms *t = r->t;
    struct sym_rows rows;
    sym_query(r, e->query, false, &rows);
    if (e->kind == EXPR_EXISTS)
        return value_of(t, sym_any(r, &rows));
    sym_uncertain_if(r, rows.tied);
    if (e->query->limit != 1)
        abort_in_expression(r, rows.several);
    return sym_first(r, &rows, 0);
}

static struct symbol
evaluate_case(struct sym_runner *r, const struct expr *e)
{
    struct terms *t = r->t;
    const term condition = sym_holds(r, e->arg[0]), live = r->live;
    r->live = term_and(t, live, condition);
    const struct symbol a = sym_evaluate(r, e->arg[1]);
    r->live = term_and(t, live, term_not(t, condition));
    const struct symbol b = sym_evaluate(r, e->arg[2]);
    r->live = live;
    return symbol_if(t, condition, a, b);
}

/* Where the second argument is evaluated, too, after the first. */
static term
needs_second(struct sym_runner *r, const struct expr *e, struct symbol a)
{
    struct terms *t = r->t;
    switch (e->kind) {
    case EXPR_AND:
        return term_or(t, a.null, a.value);
    case EXPR_OR:
        return term_or(t, a.null, term_not(t, a.value));
    case EXPR_COALESCE:
        return a.null;
    default:
        return t->yes;
    }
}

static struct symbol
evaluate_binary(struct sym_runner *r, const struct expr *e)
{
    struct terms *t = r->t;
    const struct symbol a = sym_evaluate(r, e->arg[0]);
    const term live = r->live;
    r->live = term_and(t, live, needs_second(r, e, a));
    const struct symbol b = sym_evaluate(r, e->arg[1]);
    r->live = live;
    switch (e->kind) {
    case EXPR_AND:
    case EXPR_OR:
        return connect(t, e->kind, a, b);
    case EXPR_DISTINCT:
        return (struct symbol){t->no, term_not(t, symbol_same(t, a, b)),
                               both_opaque(t, a, b)};
    case EXPR_COALESCE:
        return symbol_if(t, a.null, b, a);
    case EXPR_LEAST:
    case EXPR_GREATEST:
        return extreme(t, e, a, b);
    default:
        if (e->kind >= EXPR_ADD)
            return arithmetic(r, e, a, b);
        return (struct symbol){term_or(t, a.null, b.null),
                               compare(t, e, a.value, b.value),
                               both_opaque(t, a, b)};
    }
}

struct symbol
sym_evaluate(struct sym_runner *r, const struct expr *e)
{
    struct terms *t = r->t;
    switch (e->kind) {
    case EXPR_CONSTANT:
        return constant(r, e);
    case EXPR_VARIABLE:
        return r->variables[e->index];
    case EXPR_COLUMN:
        return r->bound[e->source][e->column];
    case EXPR_INPUT:
        return input(r, e);
    case EXPR_AGGREGATE:
        return r->aggregates[e->index];
    case EXPR_EXISTS:
    case EXPR_SCALAR:
        return evaluate_query(r, e);
    case EXPR_NOT: {
        const struct symbol a = sym_evaluate(r, e->arg[0]);
        return (struct symbol){a.null, term_not(t, a.value), a.opaque};
    }
    case EXPR_NEGATE: {
        const struct symbol a = sym_evaluate(r, e->arg[0]);
        return (struct symbol){
            a.null, term_subtract(t, term_number(t, 0), a.value), a.opaque};
    }
    case EXPR_OPAQUE:
        return opaque(r, e);
    case EXPR_CAST:
        return cast(r, sym_evaluate(r, e->arg[0]));
    case EXPR_IS_NULL:
        return value_of(t, sym_evaluate(r, e->arg[0]).null);
    case EXPR_CASE:
        return evaluate_case(r, e);
    default:
        return evaluate_binary(r, e);
    }
}

/* Keys and references are looked for by their values, and a text may be too
 * long for its column: what an opaque one does there is not known. */
static void
note_undecided(struct sym_runner *r, const struct table *table,
               const struct symbol *row)
{
    for (uint32_t i = 0; i < table->n_columns; i++) {
        bool matters = table->columns[i].limit;
        if (!row[i].opaque)
            continue;
        matters = matters || columns_have(&table->primary, i);
        for (uint32_t u = 0; u < table->n_unique; u++)
            matters = matters || columns_have(&table->unique[u], i);
        for (uint32_t f = 0; f < table->n_foreign; f++)
            matters = matters || columns_have(&table->foreign[f].columns, i);
        if (matters)
            sym_uncertain_if(r, row[i].opaque);
    }
}

term
sym_breaks_checks(struct sym_runner *r, const struct table *table,
                  const struct symbol *row)
{
    struct terms *t = r->t;
    term broken = t->no;
    note_undecided(r, table, row);
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].not_null)
            broken = term_or(t, broken, row[i].null);
    const struct symbol **bound = r->bound;
    r->bound = &row;
    for (uint32_t i = 0; i < table->n_checks; i++) {
        const struct symbol x = sym_evaluate(r, table->checks[i]);
        if (x.opaque)
            sym_uncertain_if(r, x.opaque);
        broken = term_or(t, broken, term_not(t, term_or(t, x.null, x.value)));
    }
    r->bound = bound;
    return broken;
}
