/* lemmas.c -- see lemmas.h.
 *
 * Each lemma holds of every single write, or of every function as a whole, and
 * is kept when they follow each other, so it holds between any two states.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/proof/lemmas.h"

#include "prove/robust/proof/one_run.h"

/* Whether a condition says that the column is equal to the expression, which
 * is a variable. */
static bool
says_equal(const struct statement *s, const struct expr *e, uint32_t column,
           const struct expr *variable)
{
    if (!e)
        return false;
    if (e->kind == EXPR_AND)
        return says_equal(s, e->arg[0], column, variable) ||
               says_equal(s, e->arg[1], column, variable);
    for (int i = 0; e->kind == EXPR_EQ && i < 2; i++) {
        const struct expr *a = e->arg[i], *b = e->arg[1 - i];
        if (a->kind == EXPR_COLUMN && a->source == s->source &&
            a->column == column && b->kind == EXPR_VARIABLE &&
            b->index == variable->index)
            return true;
    }
    return false;
}

/* Whether the expression is the value of the column before the statement: the
 * column itself, or a variable that the condition says to be equal to it. */
static bool
is_old_value(const struct statement *s, const struct expr *e, uint32_t column)
{
    if (e->kind == EXPR_COLUMN)
        return e->source == s->source && e->column == column;
    return e->kind == EXPR_VARIABLE && s->kind == STATEMENT_UPDATE &&
           says_equal(s, s->where, column, e);
}

/* Whether the assignment is c = c + n or c = c - n, n being a number: 1 where
 * the column does not decrease, -1 where it does not increase, 0 otherwise. */
static int
direction(const struct statement *s, const struct assignment *a)
{
    const struct expr *e = a->value;
    if (e->kind != EXPR_ADD && e->kind != EXPR_SUBTRACT)
        return 0;
    for (int i = 0; i < (e->kind == EXPR_ADD ? 2 : 1); i++) {
        const struct expr *old = e->arg[i], *step = e->arg[1 - i];
        if (is_old_value(s, old, a->column) && step->kind == EXPR_CONSTANT &&
            !step->value.null)
            return (step->value.number >= 0) == (e->kind == EXPR_ADD) ? 1 : -1;
    }
    return 0;
}

static void
look_at(struct table_lemmas *all, const struct block *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        struct table_lemmas *l = &all[s->table];
        if (s->kind == STATEMENT_DELETE) {
            l->deletes = true;
            l->keeps_rows = false;
        }
        if (s->kind == STATEMENT_INSERT)
            l->adds_no_rows = false;
        for (uint32_t k = 0; k < s->n_sets; k++) {
            const uint64_t bit = (uint64_t)1 << s->sets[k].column;
            l->constant &= ~bit;
            if (direction(s, &s->sets[k]) <= 0)
                l->increases &= ~bit;
            if (direction(s, &s->sets[k]) >= 0)
                l->decreases &= ~bit;
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
        all[i] = (struct table_lemmas){.keeps_rows = true,
                                       .adds_no_rows = true,
                                       .constant = UINT64_MAX,
                                       .increases = UINT64_MAX,
                                       .decreases = UINT64_MAX};
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
    for (uint32_t c = 0; !l->deletes && c < table->n_columns; c++) {
        const struct symbol x = a->columns[c], y = b->columns[c];
        const bool up = l->increases >> c & 1, down = l->decreases >> c & 1;
        if (l->constant >> c & 1)
            term_assert(t, term_implies(t, a->alive, symbol_same(t, x, y)));
        else if ((up || down) && table->columns[c].type == TYPE_INTEGER)
            term_assert(
                t, term_implies(t, a->alive,
                                term_or(t, term_or(t, x.null, y.null),
                                        term_at_most(t, up ? x.value : y.value,
                                                     up ? y.value : x.value))));
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

/* How often the statements delete from the table, and insert into it. */
static void
count_kinds(const struct block *b, uint32_t table, uint32_t *deletes,
            uint32_t *inserts)
{
    for (uint32_t i = 0; i < b->n; i++) {
        const struct statement *s = b->at[i];
        *deletes += s->kind == STATEMENT_DELETE && s->table == table;
        *inserts += s->kind == STATEMENT_INSERT && s->table == table;
        count_kinds(&s->body, table, deletes, inserts);
        count_kinds(&s->other, table, deletes, inserts);
    }
}

/* A row that is there before the function runs, and not afterwards. */
static term
loses_row(struct symbolic *s, const struct contents *before,
          const struct contents *after, const void *property)
{
    struct terms *t = s->terms;
    const uint32_t table = *(const uint32_t *)property;
    term lost = t->no;
    for (uint32_t i = 0; i < s->slots[table]; i++)
        lost = term_or(t, lost,
                       term_and(t, before->rows[table][i].alive,
                                term_not(t, after->rows[table][i].alive)));
    return lost;
}

/* Whether rows of the table are still there when the function ends. */
static bool
ask(const struct program *p, const struct function *f, uint32_t table,
    const struct search_limits *limits, bool *kept, struct err *err)
{
    uint32_t *more_slots = mem_calloc(p->tables.n, sizeof *more_slots);
    more_slots[table] = 1;
    struct buf what = {0};
    buf_printf(&what, "%s takes a row out of %s", f->name,
               p->tables.at[table].name);
    const struct one_run question = {.function = f,
                                     .more_slots = more_slots,
                                     .violated = loses_row,
                                     .property = &table,
                                     .what = what.at};
    const bool ok = one_run_never(p, &question, limits, kept, err);
    buf_free(&what);
    mem_free(more_slots);
    return ok;
}

bool
lemmas_ask(const struct program *p, const struct search_limits *limits,
           struct table_lemmas *all, struct err *err)
{
    for (uint32_t i = 0; i < p->tables.n; i++) {
        bool kept = all[i].deletes;
        for (size_t j = 0; kept && j < p->functions.n; j++) {
            uint32_t deletes = 0, inserts = 0;
            count_kinds(&p->functions.at[j]->body, i, &deletes, &inserts);
            if (!deletes)
                continue;
            kept = inserts > 0;
            if (kept && !ask(p, p->functions.at[j], i, limits, &kept, err))
                return false;
        }
        if (kept)
            all[i].keeps_rows = true;
    }
    return true;
}
