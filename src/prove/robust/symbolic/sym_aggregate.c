/* sym_aggregate.c -- COUNT, SUM, MIN and so on over the rows of a query.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/sym_query.h"

static struct symbol
fold(struct building *b, uint32_t which)
{
    struct terms *t = b->r->t;
    const struct aggregate *a = &b->q->aggregates[which];
    const uint32_t n = b->q->n_aggregates;
    const bool count = a->kind == AGGREGATE_COUNT;
    const bool boolean = a->kind >= AGGREGATE_ANY;
    struct symbol total = {count ? t->no : t->yes,
                           boolean ? t->no : term_number(t, 0), NULL};
    for (uint32_t i = 0; i < b->rows->n; i++) {
        const struct symbol v = b->values[i * n + which];
        term counts = term_and(t, b->rows->match[i], term_not(t, v.null));
        for (uint32_t j = 0; a->distinct && j < i; j++) {
            const struct symbol w = b->values[j * n + which];
            counts = term_and(
                t, counts,
                term_not(t,
                         term_and(t, b->rows->match[j],
                                  term_and(t, term_not(t, w.null),
                                           term_equal(t, v.value, w.value)))));
        }
        term next = v.value;
        if (count)
            next = term_add(t, total.value, term_number(t, 1));
        else if (a->kind == AGGREGATE_SUM)
            next = term_add(t, total.value, v.value);
        else if (a->kind == AGGREGATE_ANY)
            next = term_or(t, term_and(t, term_not(t, total.null), total.value),
                           v.value);
        else if (a->kind == AGGREGATE_ALL)
            next = term_and(t, term_or(t, total.null, total.value), v.value);
        else
            next = term_if(t,
                           term_and(t, term_not(t, total.null),
                                    a->kind == AGGREGATE_MIN
                                        ? term_less(t, total.value, v.value)
                                        : term_less(t, v.value, total.value)),
                           total.value, v.value);
        total.value = term_if(t, counts, next, total.value);
        total.null = term_and(t, total.null, term_not(t, counts));
    }
    return total;
}

static bool
has_ghost(const struct building *b)
{
    for (uint32_t i = 0; i < b->q->n_sources; i++)
        if (b->ghosts[i])
            return true;
    return false;
}

/* The rest of the table counts for more than the one ghost. */
static void
add_rest(struct building *b, uint32_t which, struct symbol *total)
{
    struct terms *t = b->r->t;
    const struct aggregate *a = &b->q->aggregates[which];
    const term rest = term_fresh(t, "rest", false);
    term any = t->no; // a combination with a ghost
    for (uint32_t i = 0; i < b->rows->n; i++) {
        bool ghost = false;
        for (uint32_t j = 0; j < b->q->n_sources; j++)
            ghost = ghost ||
                    sym_is_ghost(b, j, b->rows->slots[i * b->q->n_sources + j]);
        if (ghost)
            any = term_or(t, any, b->rows->match[i]);
    }
    if (a->kind == AGGREGATE_COUNT && !a->distinct)
        term_assert(t, term_at_most(t, term_number(t, 0), rest));
    if (!a->distinct)
        term_assert(t, term_or(t, any, term_equal(t, rest, term_number(t, 0))));
    total->value = term_add(t, total->value, rest);
}

void
sym_aggregate(struct building *b)
{
    struct sym_runner *r = b->r;
    const struct query *q = b->q;
    struct symbol *totals =
        arena_alloc(&r->s->arena, q->n_aggregates * sizeof *totals);
    b->totals = totals;
    for (uint32_t i = 0; i < q->n_aggregates; i++) {
        totals[i] = fold(b, i);
        if (has_ghost(b) && q->aggregates[i].kind <= AGGREGATE_SUM)
            add_rest(b, i, &totals[i]);
    }
    const struct symbol *outer = r->aggregates;
    r->aggregates = totals;
    b->rows->n = 1;
    b->rows->match[0] = r->t->yes;
    for (uint32_t i = 0; i < q->n_targets; i++)
        b->rows->cells[i] = sym_evaluate(r, q->targets[i].value);
    r->aggregates = outer;
}

void
sym_note_extreme(struct building *b, size_t read)
{
    const struct aggregate *a = &b->q->aggregates[0];
    if ((a->kind != AGGREGATE_MIN && a->kind != AGGREGATE_MAX) ||
        b->r->run->reads.n <= read)
        return;
    struct sym_read *noted = &b->r->run->reads.at[read];
    noted->extreme = a;
    noted->best = arena_alloc(&b->r->s->arena, sizeof *noted->best);
    *noted->best = b->totals[0];
    noted->none = b->totals[0].null;
}
