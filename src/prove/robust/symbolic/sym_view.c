/* sym_view.c -- what a statement sees of the slots; see runs.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/runs.h"

#include "prove/execute/isolation.h"
#include "prove/program/access.h"

#include <string.h>

/* What a slot looks like on top of some contents, with own effects. */
static struct cell_row *
overlay(struct sym_runner *r, uint32_t table, uint32_t slot,
        const struct contents *base, const struct contents *later, term is_late)
{
    struct terms *t = r->t;
    const uint32_t width = r->s->program->tables.at[table].n_columns;
    const struct effect *e = &r->run->effects[table][slot];
    struct cell_row *row = arena_alloc(&r->s->arena, sizeof *row);
    row->columns = arena_alloc(&r->s->arena, width * sizeof *row->columns);
    const struct cell_row *a = &base->rows[table][slot];
    const struct cell_row *b = later ? &later->rows[table][slot] : a;
    row->alive = term_if(t, e->sets_alive, e->alive,
                         term_if(t, is_late, b->alive, a->alive));
    for (uint32_t i = 0; i < width; i++)
        row->columns[i] =
            symbol_if(t, e->sets[i], e->columns[i],
                      symbol_if(t, is_late, b->columns[i], a->columns[i]));
    return row;
}

void
sym_forget_views(struct sym_runner *r)
{
    const size_t n = r->s->program->tables.n;
    memset(r->view.rows, 0, n * sizeof *r->view.rows);
    memset(r->old.rows, 0, n * sizeof *r->old.rows);
}

static struct cell_row **
cached(struct sym_runner *r, struct contents *cache, uint32_t table)
{
    if (!cache->rows[table]) {
        const size_t size = (r->s->slots[table] + 1) * sizeof(struct cell_row);
        cache->rows[table] = arena_alloc(&r->s->arena, size);
        memset(cache->rows[table], 0, size);
    }
    return &cache->rows[table];
}

const struct cell_row *
sym_row(struct sym_runner *r, uint32_t table, uint32_t slot)
{
    struct cell_row *row = &(*cached(r, &r->view, table))[slot];
    term late = term_not(r->t, r->is_early);
    if (r->views->innodb) // rows that it has written are as they are now
        late = term_or(r->t, late, sym_writes(r->s, r->run, table, slot));
    if (!row->columns)
        *row =
            *overlay(r, table, slot, r->views->before, r->views->after, late);
    return row;
}

const struct cell_row *
sym_old_row(struct sym_runner *r, uint32_t table, uint32_t slot)
{
    struct cell_row *row = &(*cached(r, &r->old, table))[slot];
    if (!row->columns)
        *row = *overlay(r, table, slot, r->views->waited_from, NULL, r->t->no);
    return row;
}

const struct cell_row *
sym_checked_row(struct sym_runner *r, uint32_t table, uint32_t slot)
{
    return r->views->latest
               ? overlay(r, table, slot, r->views->latest, NULL, r->t->no)
               : sym_row(r, table, slot);
}

term
sym_still_there(struct sym_runner *r, uint32_t slot, term chosen)
{
    struct terms *t = r->t;
    const term there = r->replaced
                           ? term_and(t, chosen, term_not(t, r->replaced[slot]))
                           : chosen;
    return term_or(t, term_not(t, r->mixed), there);
}

/* Whether the statement only reads, and locks nothing. */
static bool
is_plain(const struct statement *s)
{
    const bool writes = s->kind == STATEMENT_UPDATE ||
                        s->kind == STATEMENT_DELETE ||
                        s->kind == STATEMENT_INSERT;
    const bool reads = s->kind == STATEMENT_SELECT ||
                       s->kind == STATEMENT_ROWS || s->kind == STATEMENT_FOR;
    return !writes && !(reads && s->query->lock);
}

void
sym_begin(struct sym_runner *r, const struct statement *s, bool can_mix)
{
    struct terms *t = r->t;
    const struct step step = {s, r->live};
    r->statement = s;
    r->replaced = NULL;
    const term number = term_number(t, (int64_t)r->run->steps.n);
    if (r->function->snapshot && r->run->steps.n) {
        // One snapshot for the whole function: nothing changes any more.
        vec_push(&r->run->steps, step);
        return;
    }
    r->is_early = r->views->innodb  ? is_plain(s) ? t->yes : t->no
                  : r->views->after ? term_less(t, number, r->views->split)
                                    : t->yes;
    r->mixed = can_mix && r->views->waited_from
                   ? term_and(t, r->views->waits,
                              term_equal(t, number, r->views->split))
                   : t->no;
    vec_push(&r->run->steps, step);
    sym_forget_views(r);
}

void
sym_begin_query(struct sym_runner *r, const struct statement *s)
{
    sym_begin(r, s, isolation_can_wait(s) && !expr_has_query(s->query->where));
}
