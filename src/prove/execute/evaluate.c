/* evaluate.c -- expressions on concrete values, with NULL.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/runner.h"

static struct datum
number(int64_t n)
{
    return (struct datum){n, false, false};
}

static struct datum
null(void)
{
    return (struct datum){0, true, false};
}

void
runner_abort(struct runner *r)
{
    // What follows an error there is not modelled.
    if (!r->failed)
        r->out->end = r->instance && r->instance->function->partial
                          ? RUN_UNCERTAIN
                          : RUN_ABORTS;
    r->failed = true;
}

void
runner_give_up(struct runner *r)
{
    if (!r->failed)
        r->out->end = RUN_UNCERTAIN;
    r->failed = true;
}

bool
runner_holds(struct runner *r, const struct expr *e)
{
    if (!e)
        return true;
    const struct datum d = runner_evaluate(r, e);
    if (d.opaque)
        runner_give_up(r);
    return !d.null && d.number;
}

/* A number that its type cannot hold is an error. */
static struct datum
fitting(struct runner *r, const struct expr *e, int64_t n)
{
    if (!program_number_fits(e->type, e->number, n))
        runner_abort(r);
    return number(n);
}

static struct datum
arithmetic(struct runner *r, const struct expr *e, int64_t a, int64_t b)
{
    int64_t result = 0;
    bool bad = false;
    switch (e->kind) {
    case EXPR_ADD:
        bad = __builtin_add_overflow(a, b, &result);
        break;
    case EXPR_SUBTRACT:
    case EXPR_NEGATE:
        bad = __builtin_sub_overflow(a, b, &result);
        break;
    case EXPR_MULTIPLY:
        bad = __builtin_mul_overflow(a, b, &result);
        break;
    default:
        if (b == 0)
            runner_abort(r);
        bad = b == -1 && a == INT64_MIN && e->kind == EXPR_DIVIDE;
        if (b == -1)
            result = e->kind == EXPR_MODULO || bad ? 0 : -a;
        else if (b != 0)
            result = e->kind == EXPR_DIVIDE ? a / b : a % b;
    }
    // A numeric value could be larger.
    if (bad && e->number == NUMBER_NUMERIC)
        runner_give_up(r);
    else if (bad)
        runner_abort(r);
    return fitting(r, e, result);
}

static struct datum
compare(enum expr_kind kind, int64_t a, int64_t b)
{
    switch (kind) {
    case EXPR_EQ:
        return number(a == b);
    case EXPR_NE:
        return number(a != b);
    case EXPR_LT:
        return number(a < b);
    case EXPR_LE:
        return number(a <= b);
    case EXPR_GT:
        return number(a > b);
    default:
        assert(kind == EXPR_GE);
        return number(a >= b);
    }
}

/* Some value that is not NULL.  The number tells it from others in histories;
 * nothing is decided by it. */
static struct datum
opaque(const struct expr *e, struct datum a, struct datum b)
{
    const uint64_t mixed = ((uint64_t)a.number * 31 + (uint64_t)b.number) * 31 +
                           (uint64_t)e->kind + a.null + 2 * b.null;
    return (struct datum){(int64_t)(mixed % 1000000007), false, true};
}

/* AND and OR: the deciding value decides, even beside NULL. */
static struct datum
connect(struct runner *r, const struct expr *e)
{
    const int64_t deciding = e->kind == EXPR_OR;
    const struct datum a = runner_evaluate(r, e->arg[0]);
    if (!a.null && !a.opaque && a.number == deciding)
        return a;
    const struct datum b = runner_evaluate(r, e->arg[1]);
    if (!b.null && !b.opaque && b.number == deciding)
        return b;
    if (a.opaque || b.opaque)
        return opaque(e, a, b);
    return a.null || b.null ? null() : number(!deciding);
}

/* What a function gives that is not understood.  One that can fail, or be
 * NULL, leaves open what happens. */
static struct datum
evaluate_opaque(struct runner *r, const struct expr *e)
{
    struct datum all = {0};
    const struct expr *rest = e->arg[0];
    bool missing = false;
    while (rest) {
        const struct expr *one = rest->kind == EXPR_LIST ? rest->arg[0] : rest;
        const struct datum d = runner_evaluate(r, one);
        missing = missing || d.null;
        all = opaque(e, all, d);
        rest = rest->kind == EXPR_LIST ? rest->arg[1] : NULL;
    }
    if (!e->total && !e->whole)
        runner_give_up(r);
    return missing && !e->whole ? null() : all;
}

/* Those with two arguments that do not give NULL for every NULL. */
static struct datum
choose(struct runner *r, const struct expr *e)
{
    const struct datum a = runner_evaluate(r, e->arg[0]);
    if (e->kind == EXPR_COALESCE)
        return a.null ? runner_evaluate(r, e->arg[1]) : a;
    const struct datum b = runner_evaluate(r, e->arg[1]);
    if (e->kind == EXPR_DISTINCT && (a.opaque || b.opaque) && !a.null &&
        !b.null)
        return opaque(e, a, b);
    if (e->kind == EXPR_DISTINCT)
        return number(!datum_equal(a, b));
    if (a.null || b.null)
        return a.null ? b : a;
    if (a.opaque || b.opaque)
        return opaque(e, a, b);
    return (a.number < b.number) == (e->kind == EXPR_LEAST) ? a : b;
}

static struct datum
evaluate_input(struct runner *r, const struct expr *e)
{
    const struct function *f = r->instance->function;
    uint32_t site = e->index;
    if (f->inputs[site].kind == INPUT_MOMENT) {
        site = function_moment(f, site);
        return r->instance->inputs[site * r->instance->inputs_each];
    }
    if (r->used[site] == r->instance->inputs_each) {
        runner_give_up(r);
        return null();
    }
    return r->instance
        ->inputs[site * r->instance->inputs_each + r->used[site]++];
}

static struct datum
evaluate_query(struct runner *r, const struct expr *e)
{
    struct result result;
    runner_query(r, e->query, &result);
    if (e->kind == EXPR_EXISTS)
        return number(result.n > 0);
    if (result.n > 1)
        runner_abort(r);
    else if (result.tied)
        runner_give_up(r); // a LIMIT that could have taken another row
    return result.n ? result.cells[0] : null();
}

static struct datum
evaluate_binary(struct runner *r, const struct expr *e)
{
    if (e->kind == EXPR_AND || e->kind == EXPR_OR)
        return connect(r, e);
    if (e->kind == EXPR_DISTINCT || e->kind >= EXPR_COALESCE)
        return choose(r, e);
    const struct datum a = runner_evaluate(r, e->arg[0]);
    const struct datum b = runner_evaluate(r, e->arg[1]);
    if (a.null || b.null)
        return null();
    if (a.opaque || b.opaque)
        return opaque(e, a, b);
    return e->kind >= EXPR_ADD ? arithmetic(r, e, a.number, b.number)
                               : compare(e->kind, a.number, b.number);
}

struct datum
runner_evaluate(struct runner *r, const struct expr *e)
{
    if (r->failed)
        return null();
    switch (e->kind) {
    case EXPR_CONSTANT:
        return (struct datum){e->value.number, e->value.null,
                              e->type == TYPE_OPAQUE && !e->value.null};
    case EXPR_VARIABLE:
        return r->variables[e->index];
    case EXPR_COLUMN:
        assert(r->bound[e->source]);
        return r->bound[e->source][e->column];
    case EXPR_INPUT:
        return evaluate_input(r, e);
    case EXPR_AGGREGATE:
        return r->aggregates[e->index];
    case EXPR_EXISTS:
    case EXPR_SCALAR:
        return evaluate_query(r, e);
    case EXPR_NOT: {
        const struct datum a = runner_evaluate(r, e->arg[0]);
        return a.null || a.opaque ? a : number(!a.number);
    }
    case EXPR_NEGATE: {
        const struct datum a = runner_evaluate(r, e->arg[0]);
        return a.null || a.opaque ? a : arithmetic(r, e, 0, a.number);
    }
    case EXPR_CAST: {
        const struct datum a = runner_evaluate(r, e->arg[0]);
        return a.null || a.opaque ? a : fitting(r, e, a.number);
    }
    case EXPR_OPAQUE:
        return evaluate_opaque(r, e);
    case EXPR_IS_NULL:
        return number(runner_evaluate(r, e->arg[0]).null);
    case EXPR_CASE:
        return runner_evaluate(r, e->arg[runner_holds(r, e->arg[0]) ? 1 : 2]);
    default:
        return evaluate_binary(r, e);
    }
}
