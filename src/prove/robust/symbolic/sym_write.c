/* sym_write.c -- UPDATE and DELETE on symbols.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/runs.h"

#include "prove/program/access.h"

#include <string.h>

/* Whether the statement changes the slot; its row is bound then. */
static term
chooses(struct sym_runner *r, const struct statement *s, uint32_t slot)
{
    struct terms *t = r->t;
    const term live = r->live;
    term before = t->yes;
    if (r->mixed != t->no) {
        const struct cell_row *old = sym_old_row(r, s->table, slot);
        r->bound[s->source] = old->columns;
        r->live = term_and(t, live, old->alive);
        const term match = term_and(t, old->alive, sym_holds(r, s->where));
        struct effect *e = &r->run->effects[s->table][slot];
        e->chosen = term_or(t, e->chosen,
                            term_and(t, live, term_and(t, r->mixed, match)));
        before = sym_still_there(r, slot, match);
    }
    const struct cell_row *row = sym_row(r, s->table, slot);
    r->bound[s->source] = row->columns;
    r->live = term_and(t, live, row->alive);
    const term match = r->live == t->no
                           ? t->no
                           : term_and(t, row->alive, sym_holds(r, s->where));
    r->live = live;
    return term_and(t, live, term_and(t, before, match));
}

struct symbol *
sym_copy_row(struct sym_runner *r, uint32_t table, const struct symbol *row)
{
    const size_t n = r->s->program->tables.at[table].n_columns;
    struct symbol *copy = arena_alloc(&r->s->arena, n * sizeof *copy);
    memcpy(copy, row, n * sizeof *copy);
    return copy;
}

void
sym_note_write(struct sym_runner *r, struct effect *e, term when)
{
    e->early = term_or(r->t, e->early, term_and(r->t, when, r->is_early));
}

void
sym_write_column(struct sym_runner *r, struct effect *e, uint32_t column,
                 term when, struct symbol value)
{
    e->columns[column] = symbol_if(r->t, when, value, e->columns[column]);
    e->sets[column] = term_or(r->t, e->sets[column], when);
}

void
sym_update_column(struct sym_runner *r, struct effect *e, uint32_t column,
                  term when, struct symbol old, struct symbol value)
{
    struct terms *t = r->t;
    sym_write_column(r, e, column, when, value);
    if (!r->s->abstract) // see sym_relate.c
        e->moves[column] =
            term_or(t, e->moves[column],
                    term_and(t, when, term_not(t, symbol_same(t, old, value))));
}

void
sym_check_meanwhile(struct sym_runner *r, uint32_t table, const term *changed,
                    const term *updated, struct symbol *const *rows,
                    struct symbol *const *old)
{
    struct terms *t = r->t;
    const struct table *shape = &r->s->program->tables.at[table];
    const uint32_t n = r->s->abstract ? 0 : r->s->slots[table];
    for (uint32_t u = 0; u < shape->n_unique; u++)
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                if (i != j)
                    sym_uncertain_if(
                        r, term_and(t, term_and(t, changed[i], updated[j]),
                                    symbolic_columns_match(
                                        t, &shape->unique[u], rows[i],
                                        &shape->unique[u], old[j])));
}

void
sym_finish(struct sym_runner *r, const struct statement *s, const term *changed,
           struct symbol *const *rows, uint32_t n, term rest)
{
    struct terms *t = r->t;
    struct sym_rows all = {.n = n, .width = s->n_returning};
    all.match = arena_alloc(&r->s->arena, (n + 1) * sizeof *all.match);
    all.cells =
        arena_alloc(&r->s->arena, (n * s->n_returning + 1) * sizeof *all.cells);
    term any = t->no, several = t->no;
    for (uint32_t i = 0; i < n; i++) {
        all.match[i] = changed[i];
        several = term_or(t, several, term_and(t, any, changed[i]));
        any = term_or(t, any, changed[i]);
        r->bound[s->source] = rows[i];
        for (uint32_t j = 0; j < s->n_returning; j++) {
            const struct symbol x = sym_evaluate(r, s->returning[j].value);
            all.cells[i * s->n_returning + j] = x;
            sym_observe(r, s, changed[i], x);
        }
    }
    any = term_or(t, any, rest);
    if (s->n_into)
        sym_abort_if(r, several);
    if (s->strict)
        sym_abort_if(r, term_not(t, any));
    for (uint32_t i = 0; i < s->n_into; i++)
        sym_set(r, s->into[i],
                rest == t->no
                    ? sym_first(r, &all, i)
                    : symbol_fresh(t, "returned", s->returning[i].value->type,
                                   false));
    sym_set_found(r, any);
}

/* Abstract: what else the statement matches than slots. */
static term
match_rest(struct sym_runner *r, const struct statement *s)
{
    if (sym_notes_reads(r))
        sym_note_write_read(r, s);
    if (!r->s->abstract)
        return r->t->no;
    if (sym_look_up(r, s->where, s->source))
        return r->t->no;
    const struct cell_row *ghost = sym_ghost(r, s->table);
    r->bound[s->source] = ghost->columns;
    const term match = term_and(r->t, term_and(r->t, r->live, ghost->alive),
                                sym_holds(r, s->where));
    r->run->writes_rest = term_or(r->t, r->run->writes_rest, match);
    sym_check_rest(r, s, match);
    // What is set may come from queries, which then have read as well.
    const term live = r->live;
    r->live = match;
    for (uint32_t i = 0; i < s->n_sets; i++)
        if (expr_has_query(s->sets[i].value))
            sym_evaluate(r, s->sets[i].value);
    r->live = live;
    return match;
}

static bool
can_wait(const struct statement *s)
{
    bool plain = !expr_has_query(s->where);
    for (uint32_t i = 0; i < s->n_sets; i++)
        plain = plain && !expr_has_query(s->sets[i].value);
    return plain;
}

void
sym_update(struct sym_runner *r, const struct statement *s)
{
    const uint32_t n = r->s->slots[s->table];
    sym_begin(r, s, can_wait(s));
    const term rest = match_rest(r, s);
    term *changed = arena_alloc(&r->s->arena, (n + 1) * sizeof *changed);
    struct symbol **rows = arena_alloc(&r->s->arena, (n + 1) * sizeof *rows);
    struct symbol **old = arena_alloc(&r->s->arena, (n + 1) * sizeof *old);
    const term live = r->live;
    for (uint32_t i = 0; i < n; i++) {
        changed[i] = chooses(r, s, i);
        old[i] = sym_copy_row(r, s->table, r->bound[s->source]);
        rows[i] = sym_copy_row(r, s->table, old[i]);
        r->live = changed[i];
        for (uint32_t j = 0; j < s->n_sets; j++)
            rows[i][s->sets[j].column] = sym_evaluate(r, s->sets[j].value);
        r->live = live;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct effect *e = &r->run->effects[s->table][i];
        for (uint32_t j = 0; j < s->n_sets; j++)
            sym_update_column(r, e, s->sets[j].column, changed[i],
                              old[i][s->sets[j].column],
                              rows[i][s->sets[j].column]);
        sym_note_write(r, e, changed[i]);
    }
    sym_forget_views(r);
    for (uint32_t i = 0; i < n; i++)
        sym_check_row(r, s->table, i, changed[i], sym_columns_set(s));
    sym_check_meanwhile(r, s->table, changed, changed, rows, old);
    sym_finish(r, s, changed, rows, n, rest);
}

/* A row that was inserted and deleted again is as it was; but the insert has
 * met the transaction that wrote it before. */
static void
undo_insert(struct sym_runner *r, uint32_t table, struct effect *e, term when)
{
    struct terms *t = r->t;
    if (when == t->no)
        return;
    const term keeps = term_not(t, when);
    e->sets_alive = term_and(t, e->sets_alive, keeps);
    for (uint32_t c = 0; c < r->s->program->tables.at[table].n_columns; c++)
        e->sets[c] = term_and(t, e->sets[c], keeps);
    e->fresh = term_and(t, e->fresh, keeps);
    if (!r->views->latest)
        e->locked = term_or(t, e->locked, when);
}

void
sym_delete(struct sym_runner *r, const struct statement *s)
{
    struct terms *t = r->t;
    const uint32_t n = r->s->slots[s->table];
    sym_begin(r, s, can_wait(s));
    const term rest = match_rest(r, s);
    term *changed = arena_alloc(&r->s->arena, (n + 1) * sizeof *changed);
    struct symbol **rows = arena_alloc(&r->s->arena, (n + 1) * sizeof *rows);
    for (uint32_t i = 0; i < n; i++) {
        changed[i] = chooses(r, s, i);
        rows[i] = sym_copy_row(r, s->table, r->bound[s->source]);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct effect *e = &r->run->effects[s->table][i];
        e->alive = term_and(t, e->alive, term_not(t, changed[i]));
        e->sets_alive = term_or(t, e->sets_alive, changed[i]);
        sym_note_write(r, e, changed[i]);
        undo_insert(r, s->table, e, term_and(t, changed[i], e->fresh));
    }
    sym_forget_views(r);
    for (uint32_t i = 0; i < n; i++)
        sym_check_removed(r, s->table, rows[i], changed[i]);
    sym_finish(r, s, changed, rows, n, rest);
}
