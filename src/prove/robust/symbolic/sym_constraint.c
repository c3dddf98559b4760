/* sym_constraint.c -- constraints of rows that were written; see runs.h.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/robust/symbolic/runs.h"

uint64_t
sym_columns_set(const struct statement *s)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < s->n_sets; i++)
        set |= (uint64_t)1 << s->sets[i].column;
    return set;
}

/* The row that a foreign key points to is named, and read. */
static void
look_up_parent(struct sym_runner *r, const struct foreign_key *k,
               const struct symbol *row)
{
    struct terms *t = r->t;
    const struct table *to = &r->s->program->tables.at[k->table];
    struct symbol *key = arena_alloc(&r->s->arena, to->n_columns * sizeof *key);
    for (uint32_t i = 0; i < k->columns.n; i++)
        key[k->referenced.at[i]] = row[k->columns.at[i]];
    if (r->s->abstract && !r->repeats)
        sym_name_key(r, k->table, key, t->yes);
    struct sym_read *read = sym_note_read(r, k->table);
    for (uint32_t j = 0; j < r->s->slots[k->table]; j++)
        read->only[j] = symbolic_columns_match(
            t, &k->columns, row, &k->referenced, read->rows[j]->columns);
}

/* The row that a foreign key points to is there. */
static void
check_parent(struct sym_runner *r, const struct foreign_key *k,
             const struct symbol *row)
{
    struct terms *t = r->t;
    term fine = t->no, named = t->no;
    for (uint32_t i = 0; i < k->columns.n; i++)
        fine = term_or(t, fine, row[k->columns.at[i]].null);
    if (sym_notes_reads(r))
        look_up_parent(r, k, row);
    for (uint32_t j = 0; j < r->s->slots[k->table]; j++) {
        const struct cell_row *to = sym_row(r, k->table, j);
        const term match = symbolic_columns_match(t, &k->columns, row,
                                                  &k->referenced, to->columns);
        named = term_or(t, named, match);
        fine = term_or(t, fine, term_and(t, to->alive, match));
    }
    if (r->repeats) // it may be a row that is no slot
        fine = term_or(t, fine, term_not(t, named));
    sym_abort_if(r, term_not(t, fine));
}

/* Constraints of a row with new values in the columns 'set'; it is the row of
 * the slot, if of any. */
static void
check_values(struct sym_runner *r, uint32_t table, uint32_t slot,
             const struct symbol *row, term when, uint64_t set)
{
    struct terms *t = r->t;
    const struct table *shape = &r->s->program->tables.at[table];
    const term live = r->live;
    r->live = when;
    sym_abort_if(r, sym_breaks_checks(r, shape, row));
    for (uint32_t u = 0; sym_notes_reads(r) && u < shape->n_unique; u++)
        if (columns_meet(&shape->unique[u], set))
            sym_note_values(r, table, &shape->unique[u], row,
                            &shape->unique[u]);
    for (uint32_t u = 0; u < shape->n_unique; u++)
        for (uint32_t j = 0; j < r->s->slots[table]; j++) {
            if (j == slot || !columns_meet(&shape->unique[u], set))
                continue;
            const struct cell_row *other = sym_checked_row(r, table, j);
            sym_abort_if(r, term_and(t, other->alive,
                                     symbolic_columns_match(
                                         t, &shape->unique[u], row,
                                         &shape->unique[u], other->columns)));
        }
    for (uint32_t f = 0; f < shape->n_foreign; f++)
        if (columns_meet(&shape->foreign[f].columns, set))
            check_parent(r, &shape->foreign[f], row);
    r->live = live;
}

void
sym_check_row(struct sym_runner *r, uint32_t table, uint32_t slot, term when,
              uint64_t set)
{
    check_values(r, table, slot, sym_row(r, table, slot)->columns, when, set);
}

void
sym_check_unnamed(struct sym_runner *r, uint32_t table,
                  const struct symbol *row, term when)
{
    assert(r->repeats);
    check_values(r, table, UINT32_MAX, row, when, UINT64_MAX);
}

void
sym_check_removed(struct sym_runner *r, uint32_t table,
                  const struct symbol *row, term when)
{
    struct terms *t = r->t;
    const struct program *p = r->s->program;
    const term live = r->live;
    r->live = when;
    for (uint32_t c = 0; c < p->tables.n; c++)
        for (uint32_t f = 0; f < p->tables.at[c].n_foreign; f++) {
            const struct foreign_key *k = &p->tables.at[c].foreign[f];
            if (sym_notes_reads(r) && k->table == table)
                sym_note_values(r, c, &k->columns, row, &k->referenced);
            for (uint32_t j = 0; k->table == table && j < r->s->slots[c]; j++) {
                const struct cell_row *child = sym_checked_row(r, c, j);
                sym_abort_if(r, term_and(t, child->alive,
                                         symbolic_columns_match(
                                             t, &k->columns, child->columns,
                                             &k->referenced, row)));
            }
        }
    r->live = live;
}

void
sym_check_rest(struct sym_runner *r, const struct statement *s, term when)
{
    const struct program *p = r->s->program;
    const struct table *t = &p->tables.at[s->table];
    const term live = r->live;
    r->live = when;
    for (uint32_t u = 0; u < t->n_unique; u++)
        if (columns_meet(&t->unique[u], sym_columns_set(s)))
            sym_note_constraint(r, s->table, &t->unique[u]);
    for (uint32_t f = 0; f < t->n_foreign; f++)
        if (columns_meet(&t->foreign[f].columns, sym_columns_set(s)))
            sym_note_constraint(r, t->foreign[f].table,
                                &t->foreign[f].referenced);
    for (uint32_t c = 0; s->kind == STATEMENT_DELETE && c < p->tables.n; c++)
        for (uint32_t f = 0; f < p->tables.at[c].n_foreign; f++)
            if (p->tables.at[c].foreign[f].table == s->table)
                sym_note_constraint(r, c, &p->tables.at[c].foreign[f].columns);
    r->live = live;
}
