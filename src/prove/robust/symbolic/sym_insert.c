/* sym_insert.c -- INSERT on symbols.
 *
 * In an abstract run an INSERT takes several steps, because it can wait for
 * another transaction between them: what it inserts is evaluated in the first
 * one, where that needs a query, and each row is a step of its own.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/runs.h"

#include "prove/program/access.h"

#include <string.h>

/* What was inserted: in each slot, and elsewhere. */
struct inserted {
    term *here, *updated; // of each slot
    term rest;
};

/* What happens when the inserted row's key is that of the slot. */
static void
insert_into_slot(struct sym_runner *r, const struct statement *s, uint32_t slot,
                 const struct symbol *row, term hit, struct inserted *out)
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
    if (s->on_conflict == CONFLICT_UPDATES) {
        // The row is locked, and one statement updates it once.
        sym_abort_if(r,
                     term_and(t, taken,
                              term_or(t, out->here[slot], out->updated[slot])));
        e->locked = term_or(t, e->locked, taken);
        e->early_locked =
            term_or(t, e->early_locked, term_and(t, taken, r->is_early));
    }
    struct symbol *next = sym_copy_row(r, s->table, there->columns);
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
            sym_update_column(r, e, s->sets[j].column, updated,
                              there->columns[s->sets[j].column],
                              next[s->sets[j].column]);
    }
    for (uint32_t c = 0; c < table->n_columns; c++)
        sym_write_column(r, e, c, inserted, row[c]);
    e->fresh =
        term_or(t, e->fresh, term_and(t, inserted, term_not(t, e->sets_alive)));
    e->alive = term_or(t, e->alive, inserted);
    e->sets_alive = term_or(t, e->sets_alive, inserted);
    sym_note_write(r, e, term_or(t, inserted, updated));
    out->here[slot] = term_or(t, out->here[slot], inserted);
    out->updated[slot] = term_or(t, out->updated[slot], updated);
}

/* Abstract: a row that is no slot, where the INSERT runs any number of times.
 */
static void
insert_elsewhere(struct sym_runner *r, const struct statement *s,
                 const struct symbol *row, term when, struct inserted *out)
{
    struct terms *t = r->t;
    term rest = term_and(t, r->live, when);
    if (s->on_conflict != CONFLICT_ABORTS)
        rest = term_and(t, rest, term_fresh(t, "inserted", true));
    r->run->writes_rest = term_or(t, r->run->writes_rest, rest);
    sym_check_rest(r, s, rest);
    sym_check_unnamed(r, s->table, row, rest);
    out->rest = term_or(t, out->rest, rest);
}

/* Note that rows with the key were looked at: which slots that are. */
static term *
note_key_read(struct sym_runner *r, const struct statement *s, term **both)
{
    *both = NULL;
    if (!sym_notes_reads(r))
        return NULL;
    if (r->views->latest &&
        access_looks_at(r->s->program, r->function, s->table))
        *both = sym_note_read(r, s->table)->only;
    struct sym_read *read = sym_note_read(r, s->table);
    if (s->on_conflict == CONFLICT_UPDATES)
        read->used = UINT64_MAX;
    term *only = read->only;
    sym_note_latest(r);
    return only;
}

/* Insert one row, under the condition that is live. */
static void
insert_row(struct sym_runner *r, const struct statement *s,
           const struct symbol *row, struct inserted *out)
{
    struct terms *t = r->t;
    const struct table *table = &r->s->program->tables.at[s->table];
    term key_null = t->no, hits = t->no, *both;
    term *const only = note_key_read(r, s, &both);
    for (uint32_t i = 0; i < table->primary.n; i++)
        key_null = term_or(t, key_null, row[table->primary.at[i]].null);
    sym_abort_if(r, key_null);
    if (s->on_conflict != CONFLICT_ABORTS) // a refused row keeps these, too
        sym_abort_if(r, sym_breaks_checks(r, table, row));
    for (uint32_t i = 0; i < r->s->slots[s->table]; i++) {
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
            out);
    }
    sym_forget_views(r);
    const term elsewhere = term_not(t, term_or(t, key_null, hits));
    if (r->repeats)
        insert_elsewhere(r, s, row, elsewhere, out);
    else // the slots are all rows there are
        term_assert(t, term_implies(t, r->live, term_not(t, elsewhere)));
}

/* The rows to insert, each with the condition under which it is one. */
struct new_rows {
    VEC(struct symbol *) rows;
    VEC(term) live;
};

/* Row i of VALUES, or with the targets of a query. */
static void
add_row(struct sym_runner *r, const struct statement *s, uint32_t i,
        const struct symbol *targets, term is_one, struct new_rows *out)
{
    const uint32_t width = r->s->program->tables.at[s->table].n_columns;
    struct symbol *row = arena_alloc(&r->s->arena, width * sizeof *row);
    const term live = r->live;
    r->live = term_and(r->t, live, is_one);
    for (uint32_t c = 0; c < width; c++) {
        uint32_t target = UINT32_MAX;
        for (uint32_t j = 0; s->query && j < s->query->n_targets; j++)
            if (s->insert_targets[j] == c)
                target = j;
        row[c] = target == UINT32_MAX
                     ? sym_evaluate(r, s->values[i * width + c])
                     : targets[target];
    }
    vec_push(&out->rows, row);
    vec_push(&out->live, r->live);
    r->live = live;
}

static void
evaluate_rows(struct sym_runner *r, const struct statement *s,
              struct new_rows *out)
{
    struct sym_rows rows = {0};
    assert(!s->query || s->n_rows == 1);
    for (uint32_t i = 0; !s->query && i < s->n_rows; i++)
        add_row(r, s, i, NULL, r->t->yes, out);
    if (s->query && !r->s->abstract)
        sym_query(r, s->query, false, &rows);
    for (uint32_t k = 0; k < rows.n; k++)
        add_row(r, s, 0, rows.cells + (size_t)k * rows.width, rows.match[k],
                out);
    for (uint32_t i = 0; s->query && r->s->abstract && i < SYM_SHOWN; i++) {
        term is_one;
        sym_query(r, s->query, false, &rows);
        const struct symbol *targets = sym_some_row(r, &rows, &is_one);
        add_row(r, s, 0, targets, is_one, out);
    }
}

uint32_t
sym_insert_steps(const struct program *p, const struct statement *s)
{
    if (s->query)
        return 1 + SYM_SHOWN + SYM_SHOWN + 1;
    return s->n_rows + statement_has_query(s, &p->tables.at[s->table]);
}

/* Insert the rows, and where there may be more of them, those as well. */
static void
insert_rows(struct sym_runner *r, const struct statement *s,
            const struct new_rows *new, struct inserted *out)
{
    const struct table *table = &r->s->program->tables.at[s->table];
    const bool outer = r->repeats, any = r->s->abstract && s->query;
    const term live = r->live;
    r->repeats = outer || any;
    for (size_t i = 0; i < new->rows.n; i++) {
        if (any)
            sym_skip(r, s);
        if (r->s->abstract && (i || statement_has_query(s, table)))
            sym_begin(r, s, false);
        r->live = new->live.at[i];
        insert_row(r, s, new->rows.at[i], out);
        r->live = live;
    }
    if (any)
        sym_skip(r, s);
    r->repeats = outer;
    assert(out->rest == r->t->no || outer || any);
}

void
sym_insert(struct sym_runner *r, const struct statement *s)
{
    struct terms *t = r->t;
    const uint32_t n = r->s->slots[s->table];
    struct new_rows new = {0};
    sym_begin(r, s, false);
    evaluate_rows(r, s, &new);
    struct inserted in = {.rest = t->no};
    in.here = arena_alloc(&r->s->arena, (n + 1) * sizeof *in.here);
    in.updated = arena_alloc(&r->s->arena, (n + 1) * sizeof *in.updated);
    struct symbol **rows = arena_alloc(&r->s->arena, (n + 1) * sizeof *rows);
    struct symbol **old = arena_alloc(&r->s->arena, (n + 1) * sizeof *old);
    for (uint32_t i = 0; i < n; i++) {
        in.here[i] = in.updated[i] = t->no;
        old[i] = sym_copy_row(r, s->table, sym_row(r, s->table, i)->columns);
    }
    insert_rows(r, s, &new, &in);
    const bool outer = r->repeats;
    r->repeats = outer || (r->s->abstract && s->query);
    for (uint32_t i = 0; i < n; i++) {
        sym_check_row(r, s->table, i, in.here[i], UINT64_MAX);
        sym_check_row(r, s->table, i, in.updated[i], sym_columns_set(s));
        in.here[i] = term_or(t, in.here[i], in.updated[i]);
        rows[i] = sym_copy_row(r, s->table, sym_row(r, s->table, i)->columns);
    }
    sym_check_meanwhile(r, s->table, in.here, in.updated, rows, old);
    if (r->s->abstract && s->query) // rows that are not shown
        in.rest = term_or(t, in.rest,
                          term_and(t, r->live, term_fresh(t, "more", true)));
    r->repeats = outer;
    sym_finish(r, s, in.here, rows, n, in.rest);
    vec_free(&new.rows);
    vec_free(&new.live);
}
