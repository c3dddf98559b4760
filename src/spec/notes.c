/* notes.c -- see notes.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/notes.h"

#include "base/limits/limit.h"

#include <string.h>

void
notes_begin(struct notes *n)
{
    assert(!n->is_open);
    vec_push(&n->txns, ((struct noted_txn){.began = time_now()}));
    n->is_open = true;
}

void
notes_end(struct notes *n, enum txn_status status)
{
    assert(n->is_open);
    vec_top(&n->txns).status = status;
    vec_top(&n->txns).ended = time_now();
    n->is_open = false;
}

static const char *
copy(struct notes *n, const char *text)
{
    return arena_copy(&n->arena, text, strlen(text));
}

static void
add(struct notes *n, enum note_kind kind, const struct spec_table *t,
    const char *row, size_t column, const char *value)
{
    assert(n->is_open && column < t->columns.n);
    const struct note note = {.kind = kind,
                              .table = t,
                              .row = copy(n, row),
                              .column = (uint32_t)column,
                              .value = copy(n, value)};
    vec_push(&vec_top(&n->txns).notes, note);
}

void
notes_read(struct notes *n, const struct spec_table *t, const char *row,
           size_t column, const char *value)
{
    add(n, NOTE_READ, t, row, column, value);
}

void
notes_write(struct notes *n, const struct spec_table *t, const char *row,
            size_t column, const char *value)
{
    add(n, NOTE_WRITE, t, row, column, value);
}

void
notes_scan(struct notes *n, const struct spec_table *t,
           const struct result_rows *rows)
{
    assert(n->is_open);
    const char **keys = arena_alloc(&n->arena, (rows->n + 1) * sizeof *keys);
    for (size_t i = 0; i < rows->n; i++)
        keys[i] = copy(n, result_rows_get(rows, i, 0));
    const struct note note = {
        .kind = NOTE_SCAN, .table = t, .rows = keys, .n_rows = rows->n};
    vec_push(&vec_top(&n->txns).notes, note);
}

const char *
notes_text_value(struct arena *arena, const char *text)
{
    const size_t n = strlen(text);
    char *out = arena_copy(arena, text, n + 1); // room for one more byte
    if (*text == '(') {
        memcpy(out + 1, text, n);
        out[n + 1] = 0;
    }
    return out;
}

const char *
notes_cell_value(struct arena *arena, const struct result_rows *rows,
                 size_t row, size_t column)
{
    return rows->cells.at[row * rows->width + column].is_null
               ? NOTES_NULL
               : notes_text_value(arena, result_rows_get(rows, row, column));
}

void
notes_free(struct notes *n)
{
    for (size_t i = 0; i < n->txns.n; i++) {
        vec_free(&n->txns.at[i].notes);
        vec_free(&n->txns.at[i].rows);
    }
    vec_free(&n->txns);
    arena_free(&n->arena);
}
