/* formula.c -- see formula.h: variables with their facts, clauses with their
 * rules.
 *
 * SPDX-License-Identifier: MIT */
#include "predict/formula/formula.h"

enum { MOST_PAIRED = 4096 }; // transactions, for facts about pairs of them

void
formula_init(struct formula *f, const struct observed *o, enum level level,
             bool is_strict)
{
    *f = (struct formula){.o = o,
                          .level = level,
                          .is_strict = is_strict,
                          .unconditional = VAR_NONE};
    f->sat = sat_new();
    if (level_keeps_updates(level) && o->n <= MOST_PAIRED)
        f->precedes = mem_calloc((size_t)o->n * o->n, sizeof *f->precedes);
    f->base = mem_alloc(o->n + 1, sizeof *f->base);
    f->boundary = mem_alloc(o->n + 1, sizeof *f->boundary);
    f->reaches = mem_alloc(o->reads.n + 1, sizeof *f->reaches);
    f->pick_first = mem_alloc(o->reads.n + 1, sizeof *f->pick_first);
}

void
formula_free(struct formula *f)
{
    sat_free(f->sat);
    mem_free(f->precedes);
    mem_free(f->at_pivots);
    mem_free(f->base);
    mem_free(f->boundary);
    mem_free(f->reaches);
    mem_free(f->pick_first);
    vec_free(&f->picks);
    for (size_t i = 0; i < f->instances.n; i++)
        mem_free(f->instances.at[i].place);
    vec_free(&f->instances);
    vec_free(&f->clause);
    vec_free(&f->facts);
    vec_free(&f->rules);
    vec_free(&f->scratch);
}

uint32_t
formula_var4(struct formula *f, enum absence_fact kind, uint32_t a, uint32_t b,
             uint32_t c, uint32_t d)
{
    if (f->keep)
        vec_push(&f->facts, ((struct fact_row){kind, a, b, c, d}));
    return sat_add_var(f->sat);
}

void
formula_add(struct formula *f, enum absence_rule rule, uint32_t a, uint32_t b,
            uint32_t c, uint32_t d)
{
    const uint32_t id = sat_add_clause(f->sat, f->clause.at, f->clause.n);
    vec_clear(&f->clause);
    if (!f->keep)
        return;
    while (f->rules.n < id)
        vec_push(&f->rules, ((struct rule_row){0}));
    vec_push(&f->rules, ((struct rule_row){rule, a, b, c, d}));
}

const struct pick *
formula_pick(const struct formula *f, uint32_t r, uint32_t w)
{
    for (uint32_t i = f->pick_first[r]; i < f->pick_first[r + 1]; i++)
        if (f->picks.at[i].writer == w)
            return &f->picks.at[i];
    return NULL;
}
