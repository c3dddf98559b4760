/* facts.c -- see facts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/facts.h"

#include <string.h>

enum {
    FACT_LESS = 1,
    FACT_EQUAL = 2,
    FACT_MORE = 4, // of booleans: not equal
    FACT_NULL = 8, // one of them
    FACT_MULTIPLE = 16,
    FACT_NO_MULTIPLE = 32,
    FACT_EVERY = 63,
};

static int64_t
common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The greatest common divisor of numbers from 2 on that are added. */
static int64_t
added_numbers(const struct expr *e, int64_t so_far)
{
    if (!e)
        return so_far;
    for (uint32_t i = 0; i < expr_arity(e->kind); i++) {
        const struct expr *arg = e->arg[i];
        const bool adds = e->kind == EXPR_ADD || e->kind == EXPR_SUBTRACT;
        if (adds && arg->kind == EXPR_CONSTANT && arg->value.number > 1)
            so_far = common_divisor(arg->value.number, so_far);
        so_far = added_numbers(arg, so_far);
    }
    return so_far;
}

static int64_t
added_in(const struct block *b, int64_t so_far)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        for (uint32_t k = 0; k < s->n_sets; k++)
            so_far = added_numbers(s->sets[k].value, so_far);
        so_far = added_in(&s->body, so_far);
        so_far = added_in(&s->other, so_far);
    }
    return so_far;
}

static size_t
pairs_of(const struct facts *f)
{
    return (size_t)f->p->n_parameters * f->other->n_parameters;
}

void
facts_init(struct facts *f, const struct program *program,
           const struct function *p, const struct function *other)
{
    *f = (struct facts){.p = p, .other = other};
    f->seen = mem_calloc(pairs_of(f) + 1, sizeof *f->seen);
    for (size_t i = 0; i < program->functions.n; i++)
        f->step = added_in(&program->functions.at[i]->body, f->step);
    if (f->step == 0)
        f->step = 1;
    assert(f->step > 0);
}

void
facts_free(struct facts *f)
{
    mem_free(f->seen);
    memset(f, 0, sizeof *f);
}

/* The types of a pair of parameters, where they can be compared. */
static bool
is_comparable(const struct facts *f, uint32_t i, uint32_t j, bool *number)
{
    const enum value_type type = f->p->variables[i].type;
    *number = type == TYPE_INTEGER;
    return type == f->other->variables[j].type;
}

static term
is_multiple(struct terms *t, term x, term y, int64_t step)
{
    return term_equal(
        t, term_modulo(t, term_subtract(t, x, y), term_number(t, step)),
        term_number(t, 0));
}

/* Whether the pair is related in one of these ways. */
static term
pair_holds(const struct facts *f, struct terms *t, unsigned seen,
           struct symbol x, struct symbol y, bool number)
{
    const term null = term_or(t, x.null, y.null);
    const term equal = term_equal(t, x.value, y.value);
    term way = seen & FACT_EQUAL ? equal : t->no;
    if (!number && seen & FACT_MORE)
        way = term_or(t, way, term_not(t, equal));
    if (number && seen & FACT_LESS)
        way = term_or(t, way, term_less(t, x.value, y.value));
    if (number && seen & FACT_MORE)
        way = term_or(t, way, term_less(t, y.value, x.value));
    const unsigned both = FACT_MULTIPLE | FACT_NO_MULTIPLE;
    if (number && !t->rational && f->step > 1 && (seen & both) != both &&
        (seen & both)) {
        const term multiple = is_multiple(t, x.value, y.value, f->step);
        way = term_and(t, way,
                       seen & FACT_MULTIPLE ? multiple : term_not(t, multiple));
    }
    return term_or(t, seen & FACT_NULL ? null : t->no,
                   term_and(t, term_not(t, null), way));
}

term
facts_hold(const struct facts *f, struct terms *t, const struct sym_run *p,
           const struct sym_run *other)
{
    term hold = f->any ? t->yes : t->no;
    bool number;
    assert(p->function == f->p && other->function == f->other);
    for (uint32_t i = 0; f->any && i < f->p->n_parameters; i++)
        for (uint32_t j = 0; j < f->other->n_parameters; j++)
            if (is_comparable(f, i, j, &number))
                hold = term_and(
                    t, hold,
                    pair_holds(f, t, f->seen[i * f->other->n_parameters + j],
                               p->arguments[i], other->arguments[j], number));
    return hold;
}

/* How the pair is related in the last model. */
static unsigned
relation(const struct facts *f, struct terms *t, struct symbol x,
         struct symbol y, bool number)
{
    if (term_truth(t, x.null) || term_truth(t, y.null))
        return FACT_NULL;
    if (!number)
        return term_truth(t, term_equal(t, x.value, y.value)) ? FACT_EQUAL
                                                              : FACT_MORE;
    unsigned way = FACT_MORE;
    if (term_truth(t, term_equal(t, x.value, y.value)))
        way = FACT_EQUAL;
    else if (term_truth(t, term_less(t, x.value, y.value)))
        way = FACT_LESS;
    if (f->step > 1 && !t->rational)
        way |= term_truth(t, is_multiple(t, x.value, y.value, f->step))
                   ? FACT_MULTIPLE
                   : FACT_NO_MULTIPLE;
    return way;
}

void
facts_add(struct facts *f, struct terms *t, const struct sym_run *p,
          const struct sym_run *other)
{
    bool number;
    assert(p->function == f->p && other->function == f->other);
    f->any = true;
    for (uint32_t i = 0; i < f->p->n_parameters; i++)
        for (uint32_t j = 0; j < f->other->n_parameters; j++) {
            unsigned char *seen = &f->seen[i * f->other->n_parameters + j];
            *seen |= is_comparable(f, i, j, &number)
                         ? relation(f, t, p->arguments[i], other->arguments[j],
                                    number)
                         : FACT_EVERY;
        }
}

void
facts_add_all(struct facts *f)
{
    f->any = true;
    memset(f->seen, FACT_EVERY, pairs_of(f));
}

bool
facts_are_all(const struct facts *f)
{
    const unsigned order = FACT_EQUAL | FACT_MORE | FACT_NULL;
    const unsigned numbers =
        f->step > 1 ? FACT_EVERY : (unsigned)(order | FACT_LESS);
    bool number;
    for (uint32_t i = 0; i < f->p->n_parameters; i++)
        for (uint32_t j = 0; j < f->other->n_parameters; j++) {
            const unsigned seen = f->seen[i * f->other->n_parameters + j];
            if (is_comparable(f, i, j, &number) &&
                (seen & (number ? numbers : order)) !=
                    (number ? numbers : order))
                return false;
        }
    return f->any;
}
