/* known_cells.c -- see known_cells.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/known_cells.h"

#include <stdio.h>
#include <string.h>

/* --- rows and cells --------------------------------------------------------*/

uint32_t
known_cells_row(struct known_cells *b, size_t table, const char *key)
{
    struct buf name = {0};
    buf_printf(&name, "%zu:%s", table, key);
    const uint32_t id = strings_add(&b->row_names, name.at, name.n);
    buf_free(&name);
    if (id == b->rows.n)
        vec_push(&b->rows, ((struct known_row){.table = table,
                                               .key = key,
                                               .initial = KNOWN_CELLS_NOWHERE,
                                               .final = KNOWN_CELLS_NOWHERE}));
    return id;
}

uint32_t
known_cells_cell(struct known_cells *b, uint32_t row, uint32_t column)
{
    const struct known_row *r = &b->rows.at[row];
    const struct spec_table *t = &b->tables->at[r->table];
    struct buf name = {0};
    buf_printf(&name, "%s:%s:%s", t->name, r->key, t->columns.at[column]);
    const uint32_t id = strings_add(&b->cell_names, name.at, name.n);
    if (id == b->cells.n) {
        const struct known_cell cell = {
            .row = row,
            .column = column,
            .next = r->cells,
            .name = arena_copy(&b->arena, name.at, name.n)};
        vec_push(&b->cells, cell);
        b->rows.at[row].cells = id + 1;
    }
    buf_free(&name);
    return id;
}

/* The value of a column of a row in a state. */
static const char *
value_in(struct known_cells *b, const struct state *s,
         const struct known_row *r, size_t at, uint32_t column)
{
    if (at == KNOWN_CELLS_NOWHERE)
        return NOTES_NO_ROW;
    const size_t key = b->tables->at[r->table].key;
    const size_t place = column == key ? 0 : column + (column < key);
    return notes_cell_value(&b->arena, &s->tables.at[r->table], at, place);
}

const char *
known_cells_initial(struct known_cells *b, uint32_t row, uint32_t column)
{
    const struct known_row *r = &b->rows.at[row];
    return value_in(b, b->history->initial, r, r->initial, column);
}

const char *
known_cells_final(struct known_cells *b, uint32_t row, uint32_t column)
{
    const struct known_row *r = &b->rows.at[row];
    return value_in(b, b->history->final, r, r->final, column);
}

size_t
known_cells_table(const struct known_cells *b, const struct note *note)
{
    return (size_t)(note->table - b->tables->at);
}

/* --- what is known ---------------------------------------------------------*/

static void
learn_states(struct known_cells *b)
{
    for (size_t t = 0; t < b->tables->n; t++) {
        const struct result_rows *initial = &b->history->initial->tables.at[t];
        const struct result_rows *final = &b->history->final->tables.at[t];
        for (size_t i = 0; i < initial->n; i++) {
            const uint32_t row =
                known_cells_row(b, t, result_rows_get(initial, i, 0));
            b->rows.at[row].initial = i;
        }
        for (size_t i = 0; i < final->n; i++) {
            const uint32_t row =
                known_cells_row(b, t, result_rows_get(final, i, 0));
            b->rows.at[row].final = i;
        }
    }
}

static void
remember_write(struct known_cells *b, uint32_t cell, const char *value)
{
    struct buf text = {0};
    buf_printf(&text, "%u:%s", cell, value);
    strings_add(&b->writes, text.at, text.n);
    buf_free(&text);
}

static void
learn_note(struct known_cells *b, const struct note *note)
{
    const size_t table = known_cells_table(b, note);
    if (note->kind == NOTE_SCAN) {
        b->is_scanned[table] = true;
        return;
    }
    const uint32_t row = known_cells_row(b, table, note->row);
    b->rows.at[row].is_noted = true;
    known_cells_cell(b, row, (uint32_t)note->table->key);
    const uint32_t cell = known_cells_cell(b, row, note->column);
    if (note->kind == NOTE_WRITE)
        remember_write(b, cell, note->value);
}

static void
learn_notes(struct known_cells *b)
{
    const struct spec_history *a = b->history;
    for (size_t i = 0; i < a->sessions.n; i++) {
        const struct notes *n = a->sessions.at[i].notes;
        for (size_t t = 0; t < n->txns.n; t++)
            for (size_t k = 0; k < n->txns.at[t].notes.n; k++)
                learn_note(b, &n->txns.at[t].notes.at[k]);
    }
    // A scan reads every row of its table.
    for (uint32_t i = 0; i < b->rows.n; i++)
        if (b->is_scanned[b->rows.at[i].table]) {
            const size_t table = b->rows.at[i].table;
            b->rows.at[i].is_noted = true;
            known_cells_cell(b, i, (uint32_t)b->tables->at[table].key);
        }
    for (uint32_t i = 0; i < b->cells.n; i++)
        remember_write(
            b, i,
            known_cells_initial(b, b->cells.at[i].row, b->cells.at[i].column));
}

/* Whether a known write explains the final value of a cell. */
static bool
is_explained(struct known_cells *b, uint32_t row, uint32_t column)
{
    const char *value = known_cells_final(b, row, column);
    const struct known_row *r = &b->rows.at[row];
    if (strcmp(value, known_cells_initial(b, row, column)) == 0)
        return true;
    if (!r->is_noted)
        return false;
    const size_t before = b->cells.n;
    const uint32_t cell = known_cells_cell(b, row, column);
    if (b->cells.n > before)
        return false; // not written: a delete writes all cells of a row
    const size_t writes = b->writes.all.n;
    remember_write(b, cell, value);
    return b->writes.all.n == writes;
}

static void
refuse_change(struct known_cells *b, const struct known_row *row,
              const char *column)
{
    char quoted[ERR_QUOTE_ROOM];
    snprintf(b->history->refusal, sizeof b->history->refusal,
             "'%.40s:%s:%.40s' changed, but no statement is known to have "
             "changed it",
             b->tables->at[row->table].name,
             err_quote(quoted, sizeof quoted, row->key, strlen(row->key)),
             column);
}

void
known_cells_find_surprises(struct known_cells *b)
{
    struct spec_history *a = b->history;
    bool has_notes = b->scans > 0;
    for (uint32_t i = 0; i < b->rows.n && !a->refusal[0]; i++) {
        const struct spec_table *t = &b->tables->at[b->rows.at[i].table];
        has_notes = has_notes || b->rows.at[i].is_noted;
        for (uint32_t k = 0; k < t->columns.n && !a->refusal[0]; k++)
            if (!is_explained(b, i, k))
                refuse_change(b, &b->rows.at[i], t->columns.at[k]);
    }
    for (size_t t = 0; t < b->tables->n; t++)
        has_notes = has_notes || b->is_scanned[t];
    if (!has_notes && !a->refusal[0])
        snprintf(a->refusal, sizeof a->refusal, NOTES_EMPTY);
}

void
known_cells_init(struct known_cells *b, struct spec_history *a)
{
    *b = (struct known_cells){.history = a, .tables = &a->script->tables};
    b->is_scanned = arena_alloc(&b->arena, b->tables->n + 1);
    memset(b->is_scanned, 0, b->tables->n + 1);
    learn_states(b);
    learn_notes(b);
}

void
known_cells_free(struct known_cells *b)
{
    strings_free(&b->row_names);
    strings_free(&b->cell_names);
    strings_free(&b->writes);
    vec_free(&b->rows);
    vec_free(&b->cells);
    arena_free(&b->arena);
}
