/* sym_query.c -- queries on symbols: every combination of slots at once.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/sym_query.h"

#include "prove/program/access.h"

#include <string.h>

/* How many rows a source has: its slots, and a ghost for the rest. */
static uint32_t
rows_of(const struct building *b, uint32_t i)
{
    const uint32_t table = b->r->function->source_tables[b->q->sources[i]];
    return b->r->s->slots[table] + (b->ghosts[i] != NULL);
}

bool
sym_is_ghost(const struct building *b, uint32_t i, uint32_t slot)
{
    const uint32_t table = b->r->function->source_tables[b->q->sources[i]];
    return slot == b->r->s->slots[table];
}

static void
bind(struct building *b, const uint32_t *slots, bool old, term *alive)
{
    struct sym_runner *r = b->r;
    *alive = r->t->yes;
    for (uint32_t i = 0; i < b->q->n_sources; i++) {
        const uint32_t s = b->q->sources[i];
        const uint32_t table = r->function->source_tables[s];
        const struct cell_row *row = sym_is_ghost(b, i, slots[i]) ? b->ghosts[i]
                                     : old ? sym_old_row(r, table, slots[i])
                                           : sym_row(r, table, slots[i]);
        r->bound[s] = row->columns;
        *alive = term_and(r->t, *alive, row->alive);
    }
}

/* Whether the combination that is bound is a row of the result. */
static term
matches(struct building *b, term alive)
{
    struct sym_runner *r = b->r;
    const term live = r->live;
    r->live = term_and(r->t, live, alive);
    const term match = r->live == r->t->no
                           ? r->t->no
                           : term_and(r->t, alive, sym_holds(r, b->q->where));
    r->live = live;
    return match;
}

/* Where rows are sorted, told apart or added up by values that are opaque. */
static void
note_undecided(struct building *b, uint32_t at)
{
    struct sym_runner *r = b->r;
    const struct query *q = b->q;
    for (uint32_t i = 0; q->distinct && i < q->n_targets; i++)
        sym_uncertain_if(
            r, symbol_opaque(r->t, b->rows->cells[at * q->n_targets + i]));
    for (uint32_t i = 0; i < q->n_order; i++)
        sym_uncertain_if(r, symbol_opaque(r->t, b->order[at * q->n_order + i]));
    for (uint32_t i = 0; i < q->n_aggregates; i++)
        if (q->aggregates[i].kind != AGGREGATE_COUNT ||
            q->aggregates[i].distinct)
            sym_uncertain_if(
                r, symbol_opaque(r->t, b->values[at * q->n_aggregates + i]));
}

static void
add_combination(struct building *b, const uint32_t *slots)
{
    struct sym_runner *r = b->r;
    struct terms *t = r->t;
    const struct query *q = b->q;
    const uint32_t at = b->at++;
    term alive, before = t->yes;
    if (q->lock && q->n_sources == 1 && r->mixed != t->no &&
        !sym_is_ghost(b, 0, slots[0])) {
        const uint32_t table = r->function->source_tables[q->sources[0]];
        bind(b, slots, true, &alive);
        const term old = matches(b, alive);
        struct effect *e = &r->run->effects[table][slots[0]];
        e->chosen = term_or(t, e->chosen,
                            term_and(t, r->live, term_and(t, r->mixed, old)));
        before = sym_still_there(r, slots[0], old);
    }
    bind(b, slots, false, &alive);
    const term match = term_and(t, before, matches(b, alive));
    const term live = r->live;
    b->rows->match[at] = match;
    memcpy(b->rows->slots + at * q->n_sources, slots,
           q->n_sources * sizeof *slots);
    r->live = term_and(t, live, match);
    for (uint32_t i = 0; !q->n_aggregates && i < q->n_targets; i++)
        b->rows->cells[at * q->n_targets + i] =
            sym_evaluate(r, q->targets[i].value);
    for (uint32_t i = 0; i < q->n_order; i++)
        b->order[at * q->n_order + i] = sym_evaluate(r, q->order[i].by);
    for (uint32_t i = 0; i < q->n_aggregates; i++)
        b->values[at * q->n_aggregates + i] =
            q->aggregates[i].arg
                ? sym_evaluate(r, q->aggregates[i].arg)
                : (struct symbol){t->no, term_number(t, 1), NULL};
    note_undecided(b, at);
    r->live = live;
}

static void
combine(struct building *b)
{
    const struct query *q = b->q;
    uint32_t *at =
        arena_alloc(&b->r->s->arena, (q->n_sources + 1) * sizeof *at);
    memset(at, 0, (q->n_sources + 1) * sizeof *at);
    for (;;) {
        add_combination(b, at);
        uint32_t i = q->n_sources;
        while (i-- > 0) {
            if (++at[i] < rows_of(b, i))
                break;
            at[i] = 0;
        }
        if (i == UINT32_MAX)
            return;
    }
}

/* Whether row a comes before row b, and whether they tie. */
static term
comes_before(struct building *b, uint32_t x, uint32_t y, term *tie)
{
    struct terms *t = b->r->t;
    term before = t->no;
    *tie = t->yes;
    for (uint32_t i = b->q->n_order; i-- > 0;) {
        struct symbol p = b->order[x * b->q->n_order + i];
        struct symbol q = b->order[y * b->q->n_order + i];
        if (b->q->order[i].descending) {
            const struct symbol swap = p;
            p = q;
            q = swap;
        }
        // NULL is larger than everything.
        const bool boolean = b->q->order[i].by->type == TYPE_BOOLEAN;
        const term below = boolean ? term_and(t, term_not(t, p.value), q.value)
                                   : term_less(t, p.value, q.value);
        const term less =
            term_and(t, term_not(t, p.null), term_or(t, q.null, below));
        const term same = symbol_same(t, p, q);
        before = term_or(t, less, term_and(t, same, before));
        *tie = term_and(t, *tie, same);
    }
    return before;
}

static term
same_cells(struct building *b, uint32_t x, uint32_t y)
{
    term same = b->r->t->yes;
    for (uint32_t i = 0; i < b->q->n_targets; i++)
        same = term_and(b->r->t, same,
                        symbol_same(b->r->t,
                                    b->rows->cells[x * b->q->n_targets + i],
                                    b->rows->cells[y * b->q->n_targets + i]));
    return same;
}

/* Leave only the first row, and note whether another could be it. */
static void
limit(struct building *b)
{
    struct terms *t = b->r->t;
    struct sym_rows *rows = b->rows;
    term *best = arena_alloc(&b->r->s->arena, (rows->n + 1) * sizeof *best);
    for (uint32_t i = 0; i < rows->n; i++) {
        best[i] = rows->match[i];
        for (uint32_t j = 0; j < rows->n; j++) {
            if (i == j)
                continue;
            term tie;
            const term before = comes_before(b, j, i, &tie);
            // Of several that tie the first slot stands for all.
            best[i] =
                term_and(t, best[i],
                         term_not(t, term_and(t, rows->match[j],
                                              j < i ? term_or(t, before, tie)
                                                    : before)));
            if (j < i)
                rows->tied =
                    term_or(t, rows->tied,
                            term_and(t,
                                     term_and(t, tie,
                                              term_and(t, rows->match[i],
                                                       rows->match[j])),
                                     term_not(t, same_cells(b, i, j))));
        }
    }
    memcpy(rows->match, best, rows->n * sizeof *best);
}

static void
remove_duplicates(struct building *b)
{
    struct terms *t = b->r->t;
    struct sym_rows *rows = b->rows;
    for (uint32_t i = rows->n; i-- > 0;)
        for (uint32_t j = 0; j < i; j++)
            rows->match[i] = term_and(
                t, rows->match[i],
                term_not(t, term_and(t, rows->match[j], same_cells(b, i, j))));
}

static void
lock_rows(struct building *b)
{
    struct sym_runner *r = b->r;
    struct terms *t = r->t;
    const struct query *q = b->q;
    for (uint32_t i = 0; i < b->rows->n; i++)
        for (uint32_t j = 0; j < q->n_sources; j++) {
            const uint32_t table = r->function->source_tables[q->sources[j]];
            if (sym_is_ghost(b, j, b->rows->slots[i * q->n_sources + j]))
                continue;
            struct effect *e =
                &r->run->effects[table][b->rows->slots[i * q->n_sources + j]];
            const term here = term_and(t, r->live, b->rows->match[i]);
            const term early = term_and(t, here, r->is_early);
            if (q->lock == LOCK_UPDATE) {
                e->locked = term_or(t, e->locked, here);
                e->early_locked = term_or(t, e->early_locked, early);
            } else {
                e->shared = term_or(t, e->shared, here);
                e->early_shared = term_or(t, e->early_shared, early);
            }
        }
}

/* Leave one row, any of those that match and are not behind another. */
static void
choose(struct building *b, size_t read)
{
    struct terms *t = b->r->t;
    struct sym_rows *rows = b->rows;
    const struct query *q = b->q;
    const term pick = term_fresh(t, "pick", false);
    term any = t->no, picked = t->no;
    struct symbol *best =
        arena_alloc(&b->r->s->arena, (q->n_order + 1) * sizeof *best);
    term *left = arena_alloc(&b->r->s->arena, (rows->n + 1) * sizeof *left);
    for (uint32_t i = 0; i < rows->n; i++) {
        any = term_or(t, any, rows->match[i]);
        left[i] =
            term_and(t, rows->match[i], term_equal(t, pick, term_number(t, i)));
        picked = term_or(t, picked, left[i]);
        for (uint32_t j = 0; q->n_order && j < rows->n; j++) {
            term tie;
            if (i != j)
                term_assert(
                    t, term_not(
                           t, term_and(t, term_and(t, left[i], rows->match[j]),
                                       comes_before(b, j, i, &tie))));
        }
        for (uint32_t k = 0; k < q->n_order; k++)
            best[k] =
                i ? symbol_if(t, left[i], b->order[i * q->n_order + k], best[k])
                  : b->order[k];
    }
    term_assert(t, term_implies(t, any, picked));
    memcpy(rows->match, left, rows->n * sizeof *left);
    rows->tied = t->no;
    if (q->n_order && q->n_sources == 1 && b->r->run->reads.n > read) {
        b->r->run->reads.at[read].order = q;
        b->r->run->reads.at[read].best = best;
        b->r->run->reads.at[read].none = term_not(t, any);
    }
}

/* Whether the key is fixed, so that there is at most one row. */
static bool
is_one_row(const struct building *b)
{
    const struct query *q = b->q;
    if (q->n_sources != 1)
        return q->n_sources == 0;
    const uint32_t source = q->sources[0];
    const uint32_t table = b->r->function->source_tables[source];
    return access_where_fixes_key(q->where, source,
                                  &b->r->s->program->tables.at[table], NULL);
}

static void
find_several(struct building *b)
{
    struct terms *t = b->r->t;
    term any = t->no;
    for (uint32_t i = 0; i < b->rows->n; i++) {
        b->rows->several =
            term_or(t, b->rows->several, term_and(t, any, b->rows->match[i]));
        any = term_or(t, any, b->rows->match[i]);
    }
}

void
sym_query(struct sym_runner *r, const struct query *q, bool first,
          struct sym_rows *out)
{
    struct arena *arena = &r->s->arena;
    struct building b = {.r = r, .q = q, .rows = out};
    uint32_t n = 1;
    b.ghosts = arena_alloc(arena, (q->n_sources + 1) * sizeof *b.ghosts);
    for (uint32_t i = 0; i < q->n_sources; i++) {
        const uint32_t table = r->function->source_tables[q->sources[i]];
        b.ghosts[i] = r->s->abstract && !sym_look_up(r, q->where, q->sources[i])
                          ? sym_ghost(r, table)
                          : NULL;
        n *= rows_of(&b, i);
    }
    *out = (struct sym_rows){
        .n = n, .width = q->n_targets, .tied = r->t->no, .several = r->t->no};
    out->match = arena_alloc(arena, (n + 1) * sizeof *out->match);
    out->cells =
        arena_alloc(arena, (n * q->n_targets + 1) * sizeof *out->cells);
    out->slots =
        arena_alloc(arena, (n * q->n_sources + 1) * sizeof *out->slots);
    b.order = arena_alloc(arena, (n * q->n_order + 1) * sizeof *b.order);
    b.values = arena_alloc(arena, (n * q->n_aggregates + 1) * sizeof *b.values);
    const size_t reads = r->run->reads.n;
    if (sym_notes_reads(r))
        sym_note_query(r, q);
    if (n)
        combine(&b);
    if (q->n_aggregates) {
        sym_aggregate(&b);
        if (sym_notes_reads(r) && q->n_sources == 1 && q->n_aggregates == 1)
            sym_note_extreme(&b, reads);
        return;
    }
    if (q->distinct)
        remove_duplicates(&b);
    if (!is_one_row(&b))
        find_several(&b);
    if (out->several != r->t->no && (first || q->limit == 1)) {
        if (r->s->abstract)
            choose(&b, reads);
        else
            limit(&b);
    }
    if (q->lock)
        lock_rows(&b);
}

term
sym_any(struct sym_runner *r, const struct sym_rows *rows)
{
    term any = r->t->no;
    for (uint32_t i = 0; i < rows->n; i++)
        any = term_or(r->t, any, rows->match[i]);
    return any;
}

struct symbol
sym_first(struct sym_runner *r, const struct sym_rows *rows, uint32_t target)
{
    struct terms *t = r->t;
    if (!rows->n)
        return (struct symbol){t->yes, term_number(t, 0), NULL};
    // Without a row it is NULL; the value of NULL does not matter.
    struct symbol x = rows->cells[(rows->n - 1) * rows->width + target];
    x.null = term_or(t, x.null, term_not(t, rows->match[rows->n - 1]));
    for (uint32_t i = rows->n - 1; i-- > 0;)
        x = symbol_if(t, rows->match[i], rows->cells[i * rows->width + target],
                      x);
    return x;
}
