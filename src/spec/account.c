/* account.c -- see account.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/account.h"

#include "base/strings.h"
#include "collect/journal.h"
#include "format/jsonl/jsonl_record.h"

#include <stdio.h>
#include <string.h>

#define NOWHERE SIZE_MAX

/* A row that a session has read, written or looked for. */
struct known_row {
    size_t table;
    const char *key;
    size_t initial, final; // in the two states, or NOWHERE
    bool is_noted;         // by a session
    uint32_t cells;        // the last of its cells, from 1; 0: none
    size_t scan;           // the last one that returned it
};

/* A column of a row that is noted. */
struct known_cell {
    uint32_t row, column;
    uint32_t next;    // of the same row, from 1; 0: none
    const char *name; // "table:key:column"
};

struct book {
    struct account *account;
    const table_vec *tables;
    struct strings row_names, cell_names, writes;
    VEC(struct known_row) rows;
    VEC(struct known_cell) cells;
    size_t scans;
    bool *is_scanned; // by table
    struct arena arena;
};

/* --- rows and cells --------------------------------------------------------*/

static uint32_t
add_row(struct book *b, size_t table, const char *key)
{
    struct buf name = {0};
    buf_printf(&name, "%zu:%s", table, key);
    const uint32_t id = strings_add(&b->row_names, name.at, name.n);
    buf_free(&name);
    if (id == b->rows.n)
        vec_push(&b->rows, ((struct known_row){.table = table,
                                               .key = key,
                                               .initial = NOWHERE,
                                               .final = NOWHERE}));
    return id;
}

static uint32_t
add_cell(struct book *b, uint32_t row, uint32_t column)
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

/* What a state holds in a column of a row. */
static const char *
value_in(struct book *b, const struct state *s, const struct known_row *r,
         size_t at, uint32_t column)
{
    if (at == NOWHERE)
        return NOTES_NO_ROW;
    const size_t key = b->tables->at[r->table].key;
    const size_t place = column == key ? 0 : column + (column < key);
    return notes_cell_value(&b->arena, &s->tables.at[r->table], at, place);
}

static const char *
initial_value(struct book *b, uint32_t row, uint32_t column)
{
    const struct known_row *r = &b->rows.at[row];
    return value_in(b, b->account->initial, r, r->initial, column);
}

static const char *
final_value(struct book *b, uint32_t row, uint32_t column)
{
    const struct known_row *r = &b->rows.at[row];
    return value_in(b, b->account->final, r, r->final, column);
}

static size_t
table_of(const struct book *b, const struct note *note)
{
    return (size_t)(note->table - b->tables->at);
}

/* --- what is known ---------------------------------------------------------*/

static void
learn_states(struct book *b)
{
    for (size_t t = 0; t < b->tables->n; t++) {
        const struct result_rows *initial = &b->account->initial->tables.at[t];
        const struct result_rows *final = &b->account->final->tables.at[t];
        for (size_t i = 0; i < initial->n; i++) {
            const uint32_t row = add_row(b, t, rows_get(initial, i, 0));
            b->rows.at[row].initial = i;
        }
        for (size_t i = 0; i < final->n; i++) {
            const uint32_t row = add_row(b, t, rows_get(final, i, 0));
            b->rows.at[row].final = i;
        }
    }
}

static void
remember_write(struct book *b, uint32_t cell, const char *value)
{
    struct buf text = {0};
    buf_printf(&text, "%u:%s", cell, value);
    strings_add(&b->writes, text.at, text.n);
    buf_free(&text);
}

static void
learn_note(struct book *b, const struct note *note)
{
    const size_t table = table_of(b, note);
    if (note->kind == NOTE_SCAN) {
        b->is_scanned[table] = true;
        return;
    }
    const uint32_t row = add_row(b, table, note->row);
    b->rows.at[row].is_noted = true;
    add_cell(b, row, (uint32_t)note->table->key);
    const uint32_t cell = add_cell(b, row, note->column);
    if (note->kind == NOTE_WRITE)
        remember_write(b, cell, note->value);
}

static void
learn_notes(struct book *b)
{
    const struct account *a = b->account;
    for (size_t i = 0; i < a->sessions.n; i++) {
        const struct notes *n = a->sessions.at[i].notes;
        for (size_t t = 0; t < n->txns.n; t++)
            for (size_t k = 0; k < n->txns.at[t].notes.n; k++)
                learn_note(b, &n->txns.at[t].notes.at[k]);
    }
    // A scan looks for every row of its table.
    for (uint32_t i = 0; i < b->rows.n; i++)
        if (b->is_scanned[b->rows.at[i].table]) {
            const size_t table = b->rows.at[i].table;
            b->rows.at[i].is_noted = true;
            add_cell(b, i, (uint32_t)b->tables->at[table].key);
        }
    for (uint32_t i = 0; i < b->cells.n; i++)
        remember_write(
            b, i, initial_value(b, b->cells.at[i].row, b->cells.at[i].column));
}

/* Whether a known write explains the final value of a cell. */
static bool
is_explained(struct book *b, uint32_t row, uint32_t column)
{
    const char *value = final_value(b, row, column);
    const struct known_row *r = &b->rows.at[row];
    if (strcmp(value, initial_value(b, row, column)) == 0)
        return true;
    if (!r->is_noted)
        return false;
    const size_t before = b->cells.n;
    const uint32_t cell = add_cell(b, row, column);
    if (b->cells.n > before)
        return false; // it was not written: a delete writes all cells of a row
    const size_t writes = b->writes.all.n;
    remember_write(b, cell, value);
    return b->writes.all.n == writes;
}

static void
refuse_change(struct book *b, const struct known_row *row, const char *column)
{
    char quoted[ERR_QUOTE_ROOM];
    snprintf(b->account->refusal, sizeof b->account->refusal,
             "'%.40s:%s:%.40s' changed, and no statement is known to have "
             "changed it",
             b->tables->at[row->table].name,
             err_quote(quoted, sizeof quoted, row->key, strlen(row->key)),
             column);
}

/* Refuse what was not understood although it seemed to be. */
static void
find_surprises(struct book *b)
{
    struct account *a = b->account;
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
        snprintf(a->refusal, sizeof a->refusal,
                 "no statement of it reads or writes a row");
}

/* --- writing ---------------------------------------------------------------*/

struct writer {
    struct book *book;
    struct journal journal;
    struct jsonl_record record;
};

/* Begin a transaction, with the mark. */
static void
begin_txn(struct writer *w, const char *session, bool is_setup)
{
    jsonl_record_begin_named(&w->record, session);
    jsonl_record_text(&w->record, is_setup, ACCOUNT_MARK, ACCOUNT_MARK_VALUE);
}

static bool
end_txn(struct writer *w, enum txn_status status, double began, double ended,
        struct err *err)
{
    const double zero = w->book->account->initial->began;
    jsonl_record_end(&w->record, status, (int64_t)((began - zero) * 1e9),
                     (int64_t)((ended - zero) * 1e9), NULL);
    return journal_add(&w->journal, w->record.line.at, w->record.line.n, err);
}

/* The initial state, a transaction for each row, and one with the mark. */
static bool
write_setup(struct writer *w, const char *session, struct err *err)
{
    struct book *b = w->book;
    const struct state *s = b->account->initial;
    bool ok = true;
    for (uint32_t r = 0; ok && r < b->rows.n; r++) {
        if (!b->rows.at[r].is_noted)
            continue;
        jsonl_record_begin_named(&w->record, session);
        for (uint32_t i = b->rows.at[r].cells; i; i = b->cells.at[i - 1].next)
            jsonl_record_text(&w->record, true, b->cells.at[i - 1].name,
                              initial_value(b, r, b->cells.at[i - 1].column));
        ok = end_txn(w, TXN_COMMITTED, s->began, s->ended, err);
    }
    begin_txn(w, session, true);
    return ok && end_txn(w, TXN_COMMITTED, s->began, s->ended, err);
}

/* The final state, in one reader.  Of a row that is not there the key's cell
 * is enough. */
static bool
write_final(struct writer *w, const char *session, struct err *err)
{
    struct book *b = w->book;
    const struct state *s = b->account->final;
    begin_txn(w, session, false);
    for (size_t i = 0; i < b->cells.n; i++) {
        const struct known_cell *c = &b->cells.at[i];
        const size_t key = b->tables->at[b->rows.at[c->row].table].key;
        const char *text = final_value(b, c->row, c->column);
        if (c->column == key || strcmp(text, NOTES_NO_ROW) != 0)
            jsonl_record_text(&w->record, false, c->name, text);
    }
    return end_txn(w, TXN_COMMITTED, s->began, s->ended, err);
}

/* A scan read the absence of all rows that it did not return. */
static void
write_scan(struct writer *w, const struct note *note)
{
    struct book *b = w->book;
    const size_t table = table_of(b, note);
    b->scans++;
    for (size_t i = 0; i < note->n_rows; i++)
        b->rows.at[add_row(b, table, note->rows[i])].scan = b->scans;
    for (uint32_t i = 0; i < b->rows.n; i++)
        if (b->rows.at[i].table == table && b->rows.at[i].scan != b->scans) {
            const uint32_t cell = add_cell(b, i, (uint32_t)note->table->key);
            jsonl_record_text(&w->record, false, b->cells.at[cell].name,
                              NOTES_NO_ROW);
        }
}

static bool
write_txn(struct writer *w, const struct account_session *s,
          const struct noted_txn *txn, struct err *err)
{
    struct book *b = w->book;
    begin_txn(w, s->name, false);
    for (size_t i = 0; i < txn->notes.n; i++) {
        const struct note *note = &txn->notes.at[i];
        if (note->kind == NOTE_SCAN) {
            write_scan(w, note);
            continue;
        }
        const uint32_t row = add_row(b, table_of(b, note), note->row);
        const uint32_t cell = add_cell(b, row, note->column);
        jsonl_record_text(&w->record, note->kind == NOTE_WRITE,
                          b->cells.at[cell].name, note->value);
    }
    return end_txn(w, txn->status, txn->began, txn->ended, err);
}

static bool
write_session(struct writer *w, const struct account_session *s,
              struct err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->notes->txns.n; i++)
        if (s->notes->txns.at[i].notes.n)
            ok = write_txn(w, s, &s->notes->txns.at[i], err);
    return ok;
}

/* A name that no session has. */
static const char *
free_name(struct book *b, const char *name)
{
    struct buf text = {0};
    buf_text(&text, name);
    const struct account *a = b->account;
    for (size_t i = 0; i < a->sessions.n; i++)
        if (strcmp(a->sessions.at[i].name, text.at) == 0) {
            buf_char(&text, '\'');
            i = SIZE_MAX; // from the first one again
        }
    name = arena_copy(&b->arena, text.at, text.n);
    buf_free(&text);
    return name;
}

static bool
write_all(struct writer *w, struct err *err)
{
    struct book *b = w->book;
    const struct account *a = b->account;
    bool ok = write_setup(w, free_name(b, "setup"), err);
    for (size_t i = 0; ok && i < a->sessions.n; i++)
        ok = write_session(w, &a->sessions.at[i], err);
    return ok && write_final(w, free_name(b, "final"), err);
}

bool
account_write(struct account *a, const char *path, struct err *err)
{
    struct book b = {.account = a, .tables = &a->script->tables};
    b.is_scanned = arena_alloc(&b.arena, b.tables->n + 1);
    memset(b.is_scanned, 0, b.tables->n + 1);
    learn_states(&b);
    learn_notes(&b);
    find_surprises(&b);
    struct writer w = {.book = &b};
    bool ok = true;
    if (!a->refusal[0]) {
        ok = journal_open(&w.journal, path, err);
        if (ok) {
            ok = write_all(&w, err);
            ok = journal_close(&w.journal, err) && ok;
        }
    }
    jsonl_record_free(&w.record);
    strings_free(&b.row_names);
    strings_free(&b.cell_names);
    strings_free(&b.writes);
    vec_free(&b.rows);
    vec_free(&b.cells);
    arena_free(&b.arena);
    return ok;
}

void
account_free_state(struct state *s)
{
    for (size_t i = 0; i < s->tables.n; i++)
        rows_free(&s->tables.at[i]);
    vec_free(&s->tables);
}
