/* row_history.c -- see row_history.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_history.h"

#include "base/json.h"
#include "base/utf8.h"
#include "collect/journal.h"
#include "format/jsonl/jsonl_record.h"
#include "spec/row/row_checks.h"
#include "spec/row/row_dialect.h"
#include "spec/row/row_merges.h"

#include <stdio.h>
#include <string.h>

struct writer {
    struct row_history *history;
    struct row_writer rows;
    bool *is_used; // by table: a session read or wrote it
    struct journal journal;
};

/* --- collecting ------------------------------------------------------------*/

static void
collect_note(struct writer *w, const struct row_note *n)
{
    struct row_versions *v = &w->rows.versions;
    w->is_used[n->table] = true;
    uint32_t before = WATCHED_NONE;
    if (n->before.name)
        before = row_versions_add(v, n->table, &n->before);
    if (n->kind == ROW_NOTE_DELETE)
        v->all.at[before].is_deleted = true;
    if (!n->after.name)
        return;
    const uint32_t after = row_versions_add(v, n->table, &n->after);
    v->all.at[after].is_written = true;
    v->all.at[after].is_proposed = n->kind == ROW_NOTE_PROPOSE ||
                                   n->kind == ROW_NOTE_FAILED || n->is_failed;
    if (row_note_is_change(n) && !n->is_undone && !n->is_failed)
        v->all.at[after].txn = w->rows.txn;
    if (n->kind == ROW_NOTE_UPDATE)
        v->all.at[after].row = before;
    if (n->is_same)
        v->all.at[after].is_same = v->all.at[before].is_same = true;
}

static void
collect_state(struct writer *w, const struct row_state *s, bool is_initial)
{
    for (size_t i = 0; i < s->rows.n; i++) {
        const struct row_note *n = &s->rows.at[i];
        const uint32_t id =
            row_versions_add(&w->rows.versions, n->table, &n->before);
        if (is_initial)
            w->rows.versions.all.at[id].is_initial = true;
    }
}

/* Every version must be one of the setup or of a noted statement.  Of a large
 * table the rows of the setup were not listed.  Conditions are evaluated again
 * on the values, so these must be exact, and the same whenever they were
 * shown. */
static bool
check_versions(struct writer *w)
{
    for (size_t i = 0; i < w->rows.versions.all.n; i++) {
        struct row_version *v = &w->rows.versions.all.at[i];
        if (strncmp(v->values, WATCHED_INEXACT, strlen(WATCHED_INEXACT)) == 0)
            return row_operations_refuse(
                &w->rows, "a value that JSON does not keep exactly, in table ",
                w->history->watched->tables.at[v->table].name);
        if (!utf8_is_valid(v->values, strlen(v->values)))
            return row_operations_refuse(
                &w->rows, "a text that is not UTF-8, in table ",
                w->history->watched->tables.at[v->table].name);
        if (v->is_other)
            return row_operations_refuse(
                &w->rows,
                "a row was changed in a way that was not told, in "
                "table ",
                w->history->watched->tables.at[v->table].name);
        if (v->is_initial || v->is_written)
            continue;
        if (!w->history->initial->is_large[v->table])
            return row_operations_refuse(
                &w->rows, "a change that no recorded statement made, in table ",
                w->history->watched->tables.at[v->table].name);
        v->is_initial = true;
    }
    return true;
}

/* The number of notes of the statement that begins there. */
static size_t
statement_length(const row_note_vec *notes, size_t at)
{
    size_t end = at + 1;
    while (end < notes->n &&
           notes->at[end].statement == notes->at[at].statement)
        end++;
    return end - at;
}

static bool
collect_checks(struct writer *w)
{
    const struct row_history *h = w->history;
    if (!h->watched->checks.n)
        return true;
    if (!row_checks_ask(&w->rows))
        return false;
    for (size_t i = 0; i < h->sessions_n; i++) {
        const struct notes *notes = h->sessions[i].notes;
        for (size_t t = 0; t < notes->txns.n; t++) {
            const row_note_vec *rows = &notes->txns.at[t].rows;
            for (size_t k = 0, n; k < rows->n; k += n) {
                n = statement_length(rows, k);
                row_checks_collect(&w->rows, &rows->at[k], n, false,
                                   w->is_used);
            }
            row_checks_collect(&w->rows, rows->at, rows->n, true, w->is_used);
        }
    }
    return true;
}

static void
collect_condition(struct writer *w, const struct row_note *n)
{
    if (n->kind == ROW_NOTE_QUERY)
        row_versions_condition(&w->rows.versions, n);
}

/* Visit all notes; return how many there are. */
static size_t
each_note(struct writer *w,
          void visit(struct writer *, const struct row_note *))
{
    const struct row_history *h = w->history;
    size_t count = 0;
    w->rows.txn = 0;
    for (size_t i = 0; i < h->sessions_n; i++) {
        const struct notes *notes = h->sessions[i].notes;
        for (size_t t = 0; t < notes->txns.n; t++) {
            w->rows.txn++;
            for (size_t k = 0; k < notes->txns.at[t].rows.n; k++) {
                visit(w, &notes->txns.at[t].rows.at[k]);
                count++;
            }
        }
    }
    return count;
}

/* Find rows that a transaction deleted and inserted again, where statements
 * wait for rows. */
static void
find_inserted_again(struct writer *w)
{
    const struct row_history *h = w->history;
    const size_t n = w->rows.versions.all.n;
    if (!h->watched->dialect->waits_for_rows)
        return;
    uint32_t *deleted = mem_calloc(n + 1, sizeof *deleted); // by which one
    uint32_t txn = 0;
    for (size_t i = 0; i < h->sessions_n; i++)
        for (size_t t = 0; t < h->sessions[i].notes->txns.n; t++) {
            const struct noted_txn *x = &h->sessions[i].notes->txns.at[t];
            txn++;
            for (size_t k = 0; k < x->rows.n; k++) {
                const struct row_note *note = &x->rows.at[k];
                const struct row_seen *seen = note->kind == ROW_NOTE_DELETE
                                                  ? &note->before
                                                  : &note->after;
                if (!row_note_is_change(note) || !seen->name)
                    continue;
                const uint32_t row =
                    w->rows.versions.all
                        .at[row_operations_version(&w->rows, note->table, seen)]
                        .number;
                if (note->kind == ROW_NOTE_DELETE)
                    deleted[row] = txn;
                else if (note->kind == ROW_NOTE_INSERT && deleted[row] == txn)
                    vec_push(
                        &w->rows.inserted_again,
                        ((struct row_inserted_again){row, x->began, x->ended}));
            }
        }
    mem_free(deleted);
}

/* --- rows that are gone ----------------------------------------------------*/

/* Bits of versions and, at the same numbers, of rows. */
enum {
    VERSION_IS_LEFT = 1, // a transaction that may count replaced or removed it
    ROW_IS_THERE = 2,    // in the final state
};

static void
mark_left(struct writer *w, const struct noted_txn *txn, uint8_t *marks)
{
    for (size_t i = 0; i < txn->rows.n; i++) {
        const struct row_note *n = &txn->rows.at[i];
        if (row_note_is_change(n) && n->before.name && !n->is_undone &&
            !n->is_failed)
            marks[row_operations_version(&w->rows, n->table, &n->before)] |=
                VERSION_IS_LEFT;
    }
}

/* Whether a version that was committed, of a row that is not there in the end,
 * was left by nobody. */
static bool
is_gone(const struct writer *w, const struct row_version *v, uint8_t version,
        uint8_t row, const bool *is_committed)
{
    const struct row_history *h = w->history;
    return w->is_used[v->table] && !h->initial->is_large[v->table] &&
           !h->final->is_large[v->table] && !v->is_same &&
           (v->is_initial || is_committed[v->txn]) && !(row & ROW_IS_THERE) &&
           !(version & VERSION_IS_LEFT);
}

static bool
has_own_triggers(const struct watched *w)
{
    bool has = false;
    for (size_t i = 0; i < w->tables.n; i++)
        has = has || w->tables.at[i].has_own_triggers;
    return has;
}

/* A trigger of the setup may remove rows without a word: it truncates a table,
 * or switches triggers off.  Other clients may remove rows as well.  Where
 * there is neither, a row that is gone was lost by the database. */
static bool
check_removals(struct writer *w)
{
    const struct row_history *h = w->history;
    const struct row_versions *v = &w->rows.versions;
    if (!has_own_triggers(h->watched) && !h->has_others)
        return true;
    size_t txns = 0;
    for (size_t i = 0; i < h->sessions_n; i++)
        txns += h->sessions[i].notes->txns.n;
    bool *is_committed = mem_calloc(txns + 1, sizeof *is_committed);
    uint8_t *marks = mem_calloc(v->all.n + 1, sizeof *marks);
    size_t number = 0; // each_note counts in the same way
    for (size_t i = 0; i < h->sessions_n; i++)
        for (size_t t = 0; t < h->sessions[i].notes->txns.n; t++) {
            const struct noted_txn *txn = &h->sessions[i].notes->txns.at[t];
            is_committed[++number] = txn->status == TXN_COMMITTED;
            if (txn->status != TXN_ABORTED)
                mark_left(w, txn, marks);
        }
    for (size_t i = 0; i < h->final->rows.n; i++) {
        const struct row_note *n = &h->final->rows.at[i];
        const uint32_t id =
            row_operations_version(&w->rows, n->table, &n->before);
        marks[v->all.at[id].number] |= ROW_IS_THERE;
    }
    bool ok = true;
    for (size_t i = 0; ok && i < v->all.n; i++) {
        const struct row_version *at = &v->all.at[i];
        if (is_gone(w, at, marks[i], marks[at->number], is_committed))
            ok = row_operations_refuse(
                &w->rows,
                "a row is gone that no recorded statement removed, from "
                "table ",
                h->watched->tables.at[at->table].name);
    }
    mem_free(marks);
    mem_free(is_committed);
    return ok;
}

static bool
collect(struct writer *w)
{
    const struct row_history *h = w->history;
    collect_state(w, h->initial, true);
    const size_t any = each_note(w, collect_note);
    collect_state(w, h->final, false);
    w->history->is_empty = !any;
    row_versions_trace(&w->rows.versions);
    each_note(w, collect_condition);
    if (!any)
        return row_operations_refuse(&w->rows, NOTES_EMPTY, "");
    const uint32_t merged = row_merges_find(h, &w->rows.reads_blind);
    if (merged != WATCHED_NONE)
        return row_operations_refuse(
            &w->rows,
            "two transactions updated different columns of a row, which the "
            "database puts together, in table ",
            h->watched->tables.at[merged].name);
    if (!check_versions(w))
        return false;
    if (!collect_checks(w) || !row_versions_ask(&w->rows.versions))
        return row_operations_refuse(&w->rows, w->rows.versions.refusal, "");
    find_inserted_again(w);
    return check_removals(w);
}

/* --- lines -----------------------------------------------------------------*/

static void
begin_txn(struct writer *w, const char *session)
{
    buf_clear(&w->rows.line);
    vec_clear(&w->rows.undone);
    w->rows.step = 0;
    w->rows.left_out = NULL;
    json_object(&w->rows.line, NULL);
    json_text(&w->rows.line, "session", session);
    json_array(&w->rows.line, "ops");
}

/* What is not recorded of a transaction.  Checks that were not evaluated are
 * noted with their statements. */
static void
put_partial(struct writer *w, const struct noted_txn *txn)
{
    struct buf *line = &w->rows.line;
    const char *last = NULL;
    const size_t before = line->n;
    json_array(line, "partial");
    const size_t empty = line->n;
    for (size_t i = 0; i < txn->partial_n; i++)
        json_text(line, NULL, txn->partial[i]);
    if (w->rows.left_out)
        json_text(line, NULL, w->rows.left_out);
    const bool counts = txn->has_parts && txn->status != TXN_ABORTED;
    for (size_t i = 0; counts && i < txn->rows.n; i++) {
        const struct row_statement *by = txn->rows.at[i].by;
        if (!by || !by->part || by->part == last)
            continue;
        last = by->part;
        json_text(line, NULL, last);
    }
    if (line->n == empty)
        line->n = before; // nothing is missing
    else
        json_array_end(line);
}

static bool
end_txn(struct writer *w, const struct noted_txn *txn, struct err *err)
{
    const double zero = w->history->initial->began;
    json_array_end(&w->rows.line);
    jsonl_put_status(&w->rows.line, txn->status);
    jsonl_put_times(&w->rows.line, (int64_t)((txn->began - zero) * 1e9),
                    (int64_t)((txn->ended - zero) * 1e9));
    put_partial(w, txn);
    jsonl_put_meta_and_end(&w->rows.line, txn->meta ? txn->meta : "",
                           txn->meta ? strlen(txn->meta) : 0);
    return w->history->refusal[0] ||
           journal_add(&w->journal, w->rows.line.at, w->rows.line.n, err);
}

static bool
write_initial(struct writer *w, struct err *err)
{
    buf_clear(&w->rows.line);
    json_object(&w->rows.line, NULL);
    json_object(&w->rows.line, "initial");
    json_array(&w->rows.line, "rows");
    for (uint32_t i = 0; i < w->rows.versions.all.n; i++) {
        if (!w->rows.versions.all.at[i].is_initial ||
            !w->is_used[w->rows.versions.all.at[i].table])
            continue;
        json_array(&w->rows.line, NULL);
        row_operations_put_written(&w->rows, i, WATCHED_NONE);
        json_array_end(&w->rows.line);
    }
    json_array_end(&w->rows.line);
    json_object_end(&w->rows.line);
    json_end_line(&w->rows.line);
    return journal_add(&w->journal, w->rows.line.at, w->rows.line.n, err);
}

/* Take the last transaction out of the session. */
static bool
leave_session(struct writer *w, const struct spec_history_session *s,
              struct err *err)
{
    buf_clear(&w->rows.line);
    jsonl_put_leave(&w->rows.line, s->name);
    return w->history->refusal[0] ||
           journal_add(&w->journal, w->rows.line.at, w->rows.line.n, err);
}

static bool
write_session(struct writer *w, const struct spec_history_session *s,
              struct err *err)
{
    bool ok = true;
    for (size_t t = 0; ok && t < s->notes->txns.n; t++) {
        const struct noted_txn *txn = &s->notes->txns.at[t];
        w->rows.txn++;
        if (!txn->rows.n && !txn->partial_n)
            continue;
        begin_txn(w, s->name);
        w->rows.began = txn->began;
        w->rows.ended = txn->ended;
        for (size_t i = 0, n; i < txn->rows.n; i += n) {
            n = statement_length(&txn->rows, i);
            row_operations_statement(&w->rows, &txn->rows.at[i], n);
            row_checks_write(&w->rows, &txn->rows.at[i], n, false);
        }
        if (txn->status == TXN_COMMITTED)
            row_checks_write(&w->rows, txn->rows.at, txn->rows.n, true);
        ok = end_txn(w, txn, err) &&
             (txn->status != TXN_INDETERMINATE || leave_session(w, s, err));
    }
    return ok;
}

static bool
write_sessions(struct writer *w, struct err *err)
{
    const struct row_history *h = w->history;
    bool ok = true;
    w->rows.txn = 0; // each_note counts in the same way
    w->rows.written =
        mem_calloc(w->rows.versions.all.n + 1, sizeof *w->rows.written);
    for (size_t i = 0; ok && i < h->sessions_n; i++)
        ok = write_session(w, &h->sessions[i], err);
    mem_free(w->rows.written);
    return ok;
}

/* All tables that sessions used, in one transaction. */
static bool
write_final(struct writer *w, struct err *err)
{
    const struct row_state *s = w->history->final;
    begin_txn(w, "final state");
    for (uint32_t t = 0; t < w->history->watched->tables.n; t++) {
        if (!w->is_used[t] || w->history->initial->is_large[t] ||
            s->is_large[t])
            continue;
        row_operations_begin(&w->rows, "q");
        json_object(&w->rows.line, NULL);
        json_text(&w->rows.line, "table",
                  w->history->watched->tables.at[t].name);
        json_text(&w->rows.line, "where", "TRUE");
        json_object_end(&w->rows.line);
        json_array(&w->rows.line, NULL);
        for (size_t i = 0; i < s->rows.n; i++) {
            if (s->rows.at[i].table != t)
                continue;
            json_array(&w->rows.line, NULL);
            row_operations_put_read(
                &w->rows,
                row_operations_version(&w->rows, t, &s->rows.at[i].before));
            json_array_end(&w->rows.line);
        }
        json_array_end(&w->rows.line);
        row_operations_end(&w->rows);
    }
    const struct noted_txn all = {
        .status = TXN_COMMITTED, .began = s->began, .ended = s->ended};
    return end_txn(w, &all, err);
}

// With these marks a reader knows that times are nanoseconds, and that the
// history is whole.
static const char BEGIN[] = JSONL_RECORDING_BEGIN;
static const char END[] = JSONL_RECORDING_END;

bool
row_history_write(struct row_history *h, const char *path, struct err *err)
{
    struct writer w = {.history = h,
                       .rows = {.watched = h->watched,
                                .versions = {.watched = h->watched,
                                             .connection = h->connection},
                                .refusal = h->refusal,
                                .room = sizeof h->refusal}};
    w.is_used = arena_alloc(&w.rows.versions.arena, h->watched->tables.n + 1);
    memset(w.is_used, 0, h->watched->tables.n + 1);
    bool ok = true;
    if (collect(&w)) {
        ok = journal_open(&w.journal, path, err);
        if (ok) {
            ok = journal_add(&w.journal, BEGIN, strlen(BEGIN), err) &&
                 write_initial(&w, err) && write_sessions(&w, err) &&
                 write_final(&w, err) &&
                 journal_add(&w.journal, END, strlen(END), err);
            ok = journal_close(&w.journal, err) && ok;
        }
    }
    buf_free(&w.rows.line);
    vec_free(&w.rows.inserted_again);
    vec_free(&w.rows.undone);
    row_checks_free(&w.rows);
    row_versions_free(&w.rows.versions);
    return ok;
}
