/* sym_write.c -- UPDATE, DELETE and INSERT on symbols.
 *
 * SPDX-License-Identifier: MIT */
#include "robust/symbolic/runs.h"

#include "program/access.h"

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
        before = term_or(t, term_not(t, r->mixed), match);
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

static struct symbol *
copy_row(struct sym_runner *r, uint32_t table, const struct symbol *row)
{
    const size_t n = r->s->program->tables.at[table].n_columns;
    struct symbol *copy = arena_alloc(&r->s->arena, n * sizeof *copy);
    memcpy(copy, row, n * sizeof *copy);
    return copy;
}

static void
note_write(struct sym_runner *r, struct effect *e, term when)
{
    e->early = term_or(r->t, e->early, term_and(r->t, when, r->is_early));
}

static void
write_column(struct sym_runner *r, struct effect *e, uint32_t column, term when,
             struct symbol value)
{
    e->columns[column] = symbol_if(r->t, when, value, e->columns[column]);
    e->sets[column] = term_or(r->t, e->sets[column], when);
}

/* RETURNING, INTO, STRICT and FOUND for the slots that were changed. */
static void
finish(struct sym_runner *r, const struct statement *s, const term *changed,
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
    const term live = r->live;
    for (uint32_t i = 0; i < n; i++) {
        changed[i] = chooses(r, s, i);
        const struct symbol *old = r->bound[s->source];
        rows[i] = copy_row(r, s->table, old);
        r->live = changed[i];
        for (uint32_t j = 0; j < s->n_sets; j++)
            rows[i][s->sets[j].column] = sym_evaluate(r, s->sets[j].value);
        r->live = live;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct effect *e = &r->run->effects[s->table][i];
        for (uint32_t j = 0; j < s->n_sets; j++)
            write_column(r, e, s->sets[j].column, changed[i],
                         rows[i][s->sets[j].column]);
        note_write(r, e, changed[i]);
    }
    sym_forget_views(r);
    for (uint32_t i = 0; i < n; i++)
        sym_check_row(r, s->table, i, changed[i], sym_columns_set(s));
    finish(r, s, changed, rows, n, rest);
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
        rows[i] = copy_row(r, s->table, r->bound[s->source]);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct effect *e = &r->run->effects[s->table][i];
        e->alive = term_and(t, e->alive, term_not(t, changed[i]));
        e->sets_alive = term_or(t, e->sets_alive, changed[i]);
        note_write(r, e, changed[i]);
        undo_insert(r, s->table, e, term_and(t, changed[i], e->fresh));
    }
    sym_forget_views(r);
    for (uint32_t i = 0; i < n; i++)
        sym_check_removed(r, s->table, rows[i], changed[i]);
    finish(r, s, changed, rows, n, rest);
}

/* What happens when the inserted row's key is that of the slot. */
static void
insert_into_slot(struct sym_runner *r, const struct statement *s, uint32_t slot,
                 const struct symbol *row, term hit, term *inserted_here,
                 term *updated_here)
{
    struct terms *t = r->t;
    const struct table *table = &r->s->program->tables.at[s->table];
    const struct cell_row *there = sym_row(r, s->table, slot);
    struct effect *e = &r->run->effects[s->table][slot];
    const term is_there = sym_checked_row(r, s->table, slot)->alive;
    const term taken = term_and(t, hit, term_and(t, is_there, there->alive));
    const term inserted = term_and(t, hit, term_not(t, is_there));
    // A row that it does not see refuses it, whatever ON CONFLICT says.
    sym_abort_if(
        r, term_and(t, hit, term_and(t, is_there, term_not(t, there->alive))));
    if (s->on_conflict == CONFLICT_ABORTS)
        sym_abort_if(r, taken);
    else
        e->refused = term_or(t, e->refused, taken);
    struct symbol *next = copy_row(r, s->table, there->columns);
    term updated = t->no;
    if (s->on_conflict == CONFLICT_UPDATES) {
        const term live = r->live;
        r->bound[s->source] = there->columns;
        r->bound[s->excluded] = row;
        r->live = taken;
        updated = term_and(t, taken, sym_holds(r, s->where));
        r->live = updated;
        for (uint32_t j = 0; j < s->n_sets; j++)
            next[s->sets[j].column] = sym_evaluate(r, s->sets[j].value);
        r->live = live;
        for (uint32_t j = 0; j < s->n_sets; j++)
            write_column(r, e, s->sets[j].column, updated,
                         next[s->sets[j].column]);
    }
    for (uint32_t c = 0; c < table->n_columns; c++)
        write_column(r, e, c, inserted, row[c]);
    e->fresh =
        term_or(t, e->fresh, term_and(t, inserted, term_not(t, e->sets_alive)));
    e->alive = term_or(t, e->alive, inserted);
    e->sets_alive = term_or(t, e->sets_alive, inserted);
    note_write(r, e, term_or(t, inserted, updated));
    *inserted_here = term_or(t, *inserted_here, inserted);
    *updated_here = term_or(t, *updated_here, updated);
}

/* Insert one row, under the condition that is live. */
static void
insert_row(struct sym_runner *r, const struct statement *s,
           const struct symbol *row, term *inserted, term *updated)
{
    struct terms *t = r->t;
    const struct table *table = &r->s->program->tables.at[s->table];
    const uint32_t n = r->s->slots[s->table];
    term key_null = t->no, hits = t->no;
    term *only = NULL, *both = NULL;
    if (sym_notes_reads(r) && r->views->latest &&
        access_looks_at(r->s->program, r->function, s->table))
        both = sym_note_read(r, s->table)->only;
    if (sym_notes_reads(r)) {
        struct sym_read *read = sym_note_read(r, s->table);
        if (s->on_conflict == CONFLICT_UPDATES)
            read->used = UINT64_MAX;
        only = read->only;
        sym_note_latest(r);
    }
    for (uint32_t i = 0; i < table->primary.n; i++)
        key_null = term_or(t, key_null, row[table->primary.at[i]].null);
    sym_abort_if(r, key_null);
    for (uint32_t i = 0; i < n; i++) {
        term same = t->yes;
        for (uint32_t k = 0; k < table->primary.n; k++) {
            const uint32_t c = table->primary.at[k];
            same = term_and(
                t, same,
                term_equal(
                    t, row[c].value,
                    r->views->before->rows[s->table][i].columns[c].value));
        }
        hits = term_or(t, hits, same);
        if (only)
            only[i] = term_and(t, same, term_not(t, key_null));
        if (both) // a row that is gone is seen beside the new one
            both[i] = term_and(t, only[i], sym_row(r, s->table, i)->alive);
        insert_into_slot(
            r, s, i, row,
            term_and(t, r->live, term_and(t, same, term_not(t, key_null))),
            &inserted[i], &updated[i]);
    }
    // The slots are all rows there are.
    term_assert(t, term_implies(t, r->live, term_or(t, key_null, hits)));
    sym_forget_views(r);
}

/* The rows to insert, each with the condition under which it is one. */
struct new_rows {
    VEC(struct symbol *) rows;
    VEC(term) live;
};

static void
evaluate_rows(struct sym_runner *r, const struct statement *s,
              struct new_rows *out)
{
    struct terms *t = r->t;
    const uint32_t width = r->s->program->tables.at[s->table].n_columns;
    struct sym_rows rows = {.n = 1, .match = &t->yes};
    const term live = r->live;
    if (s->query)
        sym_query(r, s->query, false, &rows);
    for (uint32_t k = 0; k < rows.n; k++)
        for (uint32_t i = 0; i < s->n_rows; i++) {
            struct symbol *row = arena_alloc(&r->s->arena, width * sizeof *row);
            r->live = term_and(t, live, rows.match[k]);
            for (uint32_t c = 0; c < width; c++) {
                uint32_t target = UINT32_MAX;
                for (uint32_t j = 0; s->query && j < s->query->n_targets; j++)
                    if (s->insert_targets[j] == c)
                        target = j;
                row[c] = target == UINT32_MAX
                             ? sym_evaluate(r, s->values[i * width + c])
                             : rows.cells[k * rows.width + target];
            }
            vec_push(&out->rows, row);
            vec_push(&out->live, r->live);
            r->live = live;
        }
}

void
sym_insert(struct sym_runner *r, const struct statement *s)
{
    struct terms *t = r->t;
    const uint32_t n = r->s->slots[s->table];
    struct new_rows new = {0};
    sym_begin(r, s, false);
    evaluate_rows(r, s, &new);
    term *changed = arena_alloc(&r->s->arena, (n + 1) * sizeof *changed);
    struct symbol **rows = arena_alloc(&r->s->arena, (n + 1) * sizeof *rows);
    term *updated = arena_alloc(&r->s->arena, (n + 1) * sizeof *updated);
    for (uint32_t i = 0; i < n; i++)
        changed[i] = updated[i] = t->no;
    const term live = r->live;
    for (size_t i = 0; i < new.rows.n; i++) {
        r->live = new.live.at[i];
        insert_row(r, s, new.rows.at[i], changed, updated);
    }
    r->live = live;
    for (uint32_t i = 0; i < n; i++) {
        sym_check_row(r, s->table, i, changed[i], UINT64_MAX);
        sym_check_row(r, s->table, i, updated[i], sym_columns_set(s));
        changed[i] = term_or(t, changed[i], updated[i]);
        rows[i] = copy_row(r, s->table, sym_row(r, s->table, i)->columns);
    }
    finish(r, s, changed, rows, n, t->no);
    vec_free(&new.rows);
    vec_free(&new.live);
}
