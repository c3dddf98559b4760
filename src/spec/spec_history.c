/* spec_history.c -- see spec_history.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/spec_history.h"

#include "collect/journal.h"
#include "format/jsonl/jsonl_record.h"
#include "spec/known_cells.h"

#include <string.h>

struct writer {
    struct known_cells *cells;
    struct journal journal;
    struct jsonl_record record;
};

/* Begin a transaction with its read of the mark. */
static void
begin_txn(struct writer *w, const char *session, bool is_setup)
{
    jsonl_record_begin_named(&w->record, session);
    jsonl_record_text(&w->record, is_setup, SPEC_HISTORY_MARK,
                      SPEC_HISTORY_MARK_VALUE);
}

static bool
end_txn(struct writer *w, enum txn_status status, double began, double ended,
        struct err *err)
{
    const double zero = w->cells->history->initial->began;
    jsonl_record_end(&w->record, status, (int64_t)((began - zero) * 1e9),
                     (int64_t)((ended - zero) * 1e9), NULL);
    return journal_add(&w->journal, w->record.line.at, w->record.line.n, err);
}

/* The initial state: one transaction per row, and one for the mark. */
static bool
write_setup(struct writer *w, const char *session, struct err *err)
{
    struct known_cells *b = w->cells;
    const struct state *s = b->history->initial;
    bool ok = true;
    for (uint32_t r = 0; ok && r < b->rows.n; r++) {
        if (!b->rows.at[r].is_noted)
            continue;
        jsonl_record_begin_named(&w->record, session);
        for (uint32_t i = b->rows.at[r].cells; i; i = b->cells.at[i - 1].next)
            jsonl_record_text(
                &w->record, true, b->cells.at[i - 1].name,
                known_cells_initial(b, r, b->cells.at[i - 1].column));
        ok = end_txn(w, TXN_COMMITTED, s->began, s->ended, err);
    }
    begin_txn(w, session, true);
    return ok && end_txn(w, TXN_COMMITTED, s->began, s->ended, err);
}

/* The final state, in one transaction.  Of an absent row it reads only the
 * cell of the key. */
static bool
write_final(struct writer *w, const char *session, struct err *err)
{
    struct known_cells *b = w->cells;
    const struct state *s = b->history->final;
    begin_txn(w, session, false);
    for (size_t i = 0; i < b->cells.n; i++) {
        const struct known_cell *c = &b->cells.at[i];
        const size_t key = b->tables->at[b->rows.at[c->row].table].key;
        const char *text = known_cells_final(b, c->row, c->column);
        if (c->column == key || strcmp(text, NOTES_NO_ROW) != 0)
            jsonl_record_text(&w->record, false, c->name, text);
    }
    return end_txn(w, TXN_COMMITTED, s->began, s->ended, err);
}

/* A scan also reads that the rows it did not return are absent. */
static void
write_scan(struct writer *w, const struct note *note)
{
    struct known_cells *b = w->cells;
    const size_t table = known_cells_table(b, note);
    b->scans++;
    for (size_t i = 0; i < note->n_rows; i++)
        b->rows.at[known_cells_row(b, table, note->rows[i])].scan = b->scans;
    for (uint32_t i = 0; i < b->rows.n; i++)
        if (b->rows.at[i].table == table && b->rows.at[i].scan != b->scans) {
            const uint32_t cell =
                known_cells_cell(b, i, (uint32_t)note->table->key);
            jsonl_record_text(&w->record, false, b->cells.at[cell].name,
                              NOTES_NO_ROW);
        }
}

static bool
write_txn(struct writer *w, const struct spec_history_session *s,
          const struct noted_txn *txn, struct err *err)
{
    struct known_cells *b = w->cells;
    begin_txn(w, s->name, false);
    for (size_t i = 0; i < txn->notes.n; i++) {
        const struct note *note = &txn->notes.at[i];
        if (note->kind == NOTE_SCAN) {
            write_scan(w, note);
            continue;
        }
        const uint32_t row =
            known_cells_row(b, known_cells_table(b, note), note->row);
        const uint32_t cell = known_cells_cell(b, row, note->column);
        jsonl_record_text(&w->record, note->kind == NOTE_WRITE,
                          b->cells.at[cell].name, note->value);
    }
    return end_txn(w, txn->status, txn->began, txn->ended, err);
}

static bool
write_session(struct writer *w, const struct spec_history_session *s,
              struct err *err)
{
    struct buf leave = {0};
    jsonl_put_leave(&leave, s->name);
    bool ok = true;
    for (size_t i = 0; ok && i < s->notes->txns.n; i++) {
        const struct noted_txn *txn = &s->notes->txns.at[i];
        if (txn->notes.n)
            ok = write_txn(w, s, txn, err) &&
                 (txn->status != TXN_INDETERMINATE ||
                  journal_add(&w->journal, leave.at, leave.n, err));
    }
    buf_free(&leave);
    return ok;
}

/* A name that no session has. */
static const char *
free_name(struct known_cells *b, const char *name)
{
    struct buf text = {0};
    buf_text(&text, name);
    const struct spec_history *a = b->history;
    for (size_t i = 0; i < a->sessions.n; i++)
        if (strcmp(a->sessions.at[i].name, text.at) == 0) {
            buf_char(&text, '\'');
            i = SIZE_MAX; // start again with the first
        }
    name = arena_copy(&b->arena, text.at, text.n);
    buf_free(&text);
    return name;
}

static bool
write_all(struct writer *w, struct err *err)
{
    struct known_cells *b = w->cells;
    const struct spec_history *a = b->history;
    bool ok = write_setup(w, free_name(b, "setup"), err);
    for (size_t i = 0; ok && i < a->sessions.n; i++)
        ok = write_session(w, &a->sessions.at[i], err);
    return ok && write_final(w, free_name(b, "final"), err);
}

bool
spec_history_write(struct spec_history *a, const char *path, struct err *err)
{
    struct known_cells b;
    known_cells_init(&b, a);
    known_cells_find_surprises(&b);
    struct writer w = {.cells = &b};
    bool ok = true;
    if (!a->refusal[0]) {
        ok = journal_open(&w.journal, path, err);
        if (ok) {
            ok = write_all(&w, err);
            ok = journal_close(&w.journal, err) && ok;
        }
    }
    jsonl_record_free(&w.record);
    known_cells_free(&b);
    return ok;
}

void
spec_history_free_state(struct state *s)
{
    for (size_t i = 0; i < s->tables.n; i++)
        result_rows_free(&s->tables.at[i]);
    vec_free(&s->tables);
}
