/* lemmas.c -- see lemmas.h.
 *
 * Each lemma holds of every single write, and is kept when writes follow each
 * other, so it holds between any two states.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/proof/lemmas.h"

/* Whether the assignment is c = c + n with n not negative. */
static bool
is_increase(const struct statement *s, const struct assignment *a)
{
    const struct expr *e = a->value;
    if (e->kind != EXPR_ADD)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct expr *old = e->arg[i], *step = e->arg[1 - i];
        if (old->kind == EXPR_COLUMN && old->source == s->source &&
            old->column == a->column && step->kind == EXPR_CONSTANT &&
            !step->value.null && step->value.number >= 0)
            return true;
    }
    return false;
}

static void
look_at(struct table_lemmas *all, const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        struct table_lemmas *l = &all[s->table];
        if (s->kind == STATEMENT_DELETE)
            l->keeps_rows = false;
        if (s->kind == STATEMENT_INSERT)
            l->adds_no_rows = false;
        for (uint32_t k = 0; k < s->n_sets; k++) {
            const uint64_t bit = (uint64_t)1 << s->sets[k].column;
            l->constant &= ~bit;
            if (!is_increase(s, &s->sets[k]))
                l->increases &= ~bit;
        }
        look_at(all, &s->body);
        look_at(all, &s->other);
    }
}

struct table_lemmas *
lemmas_find(const struct program *p)
{
    struct table_lemmas *all = mem_calloc(p->tables.n + 1, sizeof *all);
    for (size_t i = 0; i < p->tables.n; i++)
        all[i] = (struct table_lemmas){true, true, UINT64_MAX, UINT64_MAX};
    for (size_t i = 0; i < p->functions.n; i++)
        look_at(all, &p->functions.at[i]->body);
    return all;
}

static void
assert_row(struct symbolic *s, const struct table *table,
           const struct table_lemmas *l, const struct cell_row *a,
           const struct cell_row *b)
{
    struct terms *t = s->terms;
    if (l->keeps_rows)
        term_assert(t, term_implies(t, a->alive, b->alive));
    if (l->adds_no_rows)
        term_assert(t, term_implies(t, b->alive, a->alive));
    // A row that is deleted and inserted again may have any columns.
    for (uint32_t c = 0; l->keeps_rows && c < table->n_columns; c++) {
        const struct symbol x = a->columns[c], y = b->columns[c];
        if (l->constant >> c & 1)
            term_assert(t, term_implies(t, a->alive, symbol_same(t, x, y)));
        else if (l->increases >> c & 1 &&
                 table->columns[c].type == TYPE_INTEGER)
            term_assert(
                t, term_implies(t, a->alive,
                                term_or(t, term_or(t, x.null, y.null),
                                        term_at_most(t, x.value, y.value))));
    }
}

void
lemmas_assert(struct symbolic *s, const struct table_lemmas *lemmas,
              const struct contents *before, const struct contents *after)
{
    for (uint32_t i = 0; i < s->program->tables.n; i++)
        for (uint32_t j = 0; j < s->slots[i]; j++)
            assert_row(s, &s->program->tables.at[i], &lemmas[i],
                       &before->rows[i][j], &after->rows[i][j]);
}
