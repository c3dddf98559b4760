/* statement_recorder.c -- see statement_recorder.h.
 *
 * Notes come from the database, never from the text of the statement, so values
 * and keys are always in the notation of the database.  A select is run with
 * the key and the columns that it reads.  If the database can, an insert,
 * update or delete returns the rows that it changed.  Otherwise these rows are
 * read before it, with the locks that the statement would take, and after it.
 * The old values that an update depends on are read before it in the same way.
 * No SQL is made from values.
 *
 * Absent rows come first among the notes of a statement.  A statement may wait
 * for a row and then see a later version of it; the absence of the other rows
 * was observed before that.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/statement_recorder.h"

#include "base/print.h"
#include "base/utf8.h"
#include "spec/row_recorder.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- queries ---------------------------------------------------------------*/

enum outcome
statement_recorder_refuse(struct statement_recorder *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!p->refusal[0])
        print_args(p->refusal, sizeof p->refusal, format, args);
    va_end(args);
    return OUTCOME_FAILED;
}

static enum outcome
run(struct statement_recorder *p, const char *sql, struct result_rows *out)
{
    return p->connection->driver->query(p->connection, sql, out);
}

/* Run SQL that must return rows of that width, with a first cell, the key, that
 * is not NULL.  Other answers are a refusal and OUTCOME_FAILED. */
static enum outcome
query_rows(struct statement_recorder *p, const char *sql, size_t width,
           struct result_rows *out)
{
    const enum outcome outcome = run(p, sql, out);
    if (outcome != OUTCOME_OK || !out->n)
        return outcome;
    if (out->width != width || out->cells.n != out->n * width)
        return statement_recorder_refuse(
            p,
            "the database answered with %zu columns, but %zu were "
            "requested",
            out->width, width);
    for (size_t i = 0; i < out->cells.n; i++) {
        const struct result_cell *cell = &out->cells.at[i];
        const char *text = out->text.at + cell->at;
        if (cell->is_null && i % width == 0)
            return statement_recorder_refuse(p, "a row without a key");
        if (!cell->is_null &&
            (strlen(text) != cell->n || !utf8_is_valid(text, cell->n)))
            return statement_recorder_refuse(
                p, "a value that is not text in UTF-8");
    }
    return OUTCOME_OK;
}

/* "key, column, column". */
static void
list_columns(struct buf *sql, const struct spec_table *t,
             const u32_vec *columns)
{
    buf_text(sql, t->columns.at[t->key]);
    for (size_t i = 0; i < columns->n; i++)
        buf_printf(sql, ", %s", t->columns.at[columns->at[i]]);
}

/* "select key, columns from table" and what follows. */
static enum outcome
select_rows(struct statement_recorder *p, const struct spec_table *t,
            const u32_vec *columns, const char *rest, const char *lock,
            struct result_rows *out)
{
    struct buf sql = {0};
    buf_text(&sql, "select ");
    list_columns(&sql, t, columns);
    buf_printf(&sql, " from %s", t->name);
    if (*rest)
        buf_printf(&sql, " %s", rest);
    if (*lock)
        buf_printf(&sql, " %s", lock);
    const enum outcome outcome = query_rows(p, sql.at, columns->n + 1, out);
    buf_free(&sql);
    return outcome;
}

/* The same, with the locks that a statement takes, before or after it.  A
 * failure is none of the statement's. */
static enum outcome
select_locked(struct statement_recorder *p, const struct spec_statement *s,
              const u32_vec *columns, struct result_rows *out)
{
    const enum outcome outcome = select_rows(p, s->table, columns, s->condition,
                                             p->flavour->lock_to_update, out);
    return outcome == OUTCOME_FAILED
               ? statement_recorder_refuse(
                     p, "what it reads cannot be asked for: %.120s",
                     p->connection->message)
               : outcome;
}

enum outcome
statement_recorder_table(struct statement_recorder *p,
                         const struct spec_table *t, struct result_rows *out)
{
    struct buf rest = {0};
    u32_vec columns = {0};
    for (uint32_t i = 0; i < t->columns.n; i++)
        if (i != t->key)
            vec_push(&columns, i);
    buf_printf(&rest, "order by %s", t->columns.at[t->key]);
    const enum outcome outcome = select_rows(p, t, &columns, rest.at, "", out);
    vec_free(&columns);
    buf_free(&rest);
    return outcome;
}

/* Run the statement so that it returns the rows it changed. */
static enum outcome
run_returning(struct statement_recorder *p, const struct spec_statement *s,
              const u32_vec *columns, struct result_rows *out)
{
    struct buf sql = {0};
    buf_printf(&sql, "%s returning ", s->text);
    list_columns(&sql, s->table, columns);
    const enum outcome outcome = query_rows(p, sql.at, columns->n + 1, out);
    buf_free(&sql);
    return outcome;
}

/* --- noting ----------------------------------------------------------------*/

/* The row with that key; rows->n if there is none. */
static size_t
find_row(const struct result_rows *rows, const char *key)
{
    size_t i = 0;
    while (i < rows->n && strcmp(result_rows_get(rows, i, 0), key) != 0)
        i++;
    return i;
}

/* Note which rows the statement looked for and did not find, and that the
 * found ones exist. */
static void
note_rows(struct statement_recorder *p, const struct spec_statement *s,
          const struct result_rows *found)
{
    const struct spec_table *t = s->table;
    for (size_t i = 0; !s->is_whole && i < s->keys.n; i++)
        if (find_row(found, s->keys.at[i]) == found->n)
            notes_read(&p->notes, t, s->keys.at[i], t->key, NOTES_NO_ROW);
    if (s->is_whole)
        notes_scan(&p->notes, t, found);
    for (size_t i = 0; i < found->n; i++)
        notes_read(&p->notes, t, result_rows_get(found, i, 0), t->key,
                   notes_cell_value(&p->notes.arena, found, i, 0));
}

/* Note one row's values of some columns, which follow the key. */
static void
note_values(struct statement_recorder *p, bool is_write,
            const struct spec_table *t, const u32_vec *columns,
            const struct result_rows *rows, size_t row)
{
    for (size_t k = 0; k < columns->n; k++)
        (is_write ? notes_write : notes_read)(
            &p->notes, t, result_rows_get(rows, row, 0), columns->at[k],
            notes_cell_value(&p->notes.arena, rows, row, k + 1));
}

/* A row with another key than requested, such as 'A' for 'a', cannot be
 * attributed to a register. */
static enum outcome
expect_keys(struct statement_recorder *p, const struct spec_statement *s,
            const struct result_rows *found)
{
    for (size_t i = 0; !s->is_whole && s->keys.n && i < found->n; i++) {
        size_t k = 0;
        while (k < s->keys.n &&
               strcmp(s->keys.at[k], result_rows_get(found, i, 0)) != 0)
            k++;
        if (k == s->keys.n)
            return statement_recorder_refuse(
                p, "a row was returned whose key is none of those "
                   "that were requested");
    }
    return OUTCOME_OK;
}

/* --- statements ------------------------------------------------------------*/

static enum outcome
record_select(struct statement_recorder *p, struct spec_statement *s)
{
    struct result_rows rows = {0};
    enum outcome outcome =
        select_rows(p, s->table, &s->reads, s->rest, "", &rows);
    if (outcome == OUTCOME_OK)
        outcome = expect_keys(p, s, &rows);
    if (outcome == OUTCOME_OK) {
        note_rows(p, s, &rows);
        for (size_t i = 0; i < rows.n; i++)
            note_values(p, false, s->table, &s->reads, &rows, i);
    }
    result_rows_free(&rows);
    return outcome;
}

/* The rows before and after an update; the latter are those it changed. */
static enum outcome
update_rows(struct statement_recorder *p, const struct spec_statement *s,
            struct result_rows *before, struct result_rows *after)
{
    const bool returns = p->flavour->has_returning;
    enum outcome outcome = OUTCOME_OK;
    if (!returns || s->reads.n)
        outcome = select_locked(p, s, &s->reads, before);
    if (outcome == OUTCOME_OK && returns)
        return run_returning(p, s, &s->writes, after);
    if (outcome == OUTCOME_OK)
        outcome = run(p, s->text, NULL);
    if (outcome == OUTCOME_OK)
        outcome = select_locked(p, s, &s->writes, after);
    return outcome;
}

static enum outcome
record_update(struct statement_recorder *p, struct spec_statement *s)
{
    struct result_rows before = {0}, after = {0};
    enum outcome outcome = update_rows(p, s, &before, &after);
    if (outcome == OUTCOME_OK)
        outcome = expect_keys(p, s, &after);
    const bool has_before = !p->flavour->has_returning || s->reads.n;
    bool same = !has_before || before.n == after.n;
    for (size_t i = 0; outcome == OUTCOME_OK && has_before && i < after.n; i++)
        same =
            same && find_row(&before, result_rows_get(&after, i, 0)) < before.n;
    if (outcome == OUTCOME_OK && !same)
        outcome = statement_recorder_refuse(
            p, "rows appeared or disappeared between reading and "
               "updating them");
    if (outcome == OUTCOME_OK)
        note_rows(p, s, &after);
    for (size_t i = 0; outcome == OUTCOME_OK && i < after.n; i++) {
        if (s->reads.n)
            note_values(p, false, s->table, &s->reads, &before,
                        find_row(&before, result_rows_get(&after, i, 0)));
        note_values(p, true, s->table, &s->writes, &after, i);
    }
    result_rows_free(&before);
    result_rows_free(&after);
    return outcome;
}

/* An insert that failed because of its key has read that the row exists. */
static void
note_duplicate(struct statement_recorder *p, struct spec_statement *s)
{
    const char *code = p->flavour->duplicate_key;
    p->failed_alone = code && s->names_keys && s->keys.n == 1 &&
                      strcmp(p->connection->code, code) == 0;
    if (p->failed_alone)
        notes_read(&p->notes, s->table, s->keys.at[0], s->table->key,
                   notes_text_value(&p->notes.arena, s->keys.at[0]));
}

static enum outcome
record_insert(struct statement_recorder *p, struct spec_statement *s)
{
    const struct spec_table *t = s->table;
    struct result_rows rows = {0};
    enum outcome outcome;
    if (p->flavour->has_returning) {
        outcome = run_returning(p, s, &s->writes, &rows);
    } else {
        outcome = run(p, s->text, NULL);
        if (outcome == OUTCOME_FAILED)
            note_duplicate(p, s);
        if (outcome == OUTCOME_OK)
            outcome = select_locked(p, s, &s->writes, &rows);
        if (outcome == OUTCOME_OK && rows.n != s->keys.n)
            outcome = statement_recorder_refuse(
                p, "%zu rows were inserted, but %zu were found", s->keys.n,
                rows.n);
    }
    for (size_t i = 0; outcome == OUTCOME_OK && i < rows.n; i++) {
        const char *key = result_rows_get(&rows, i, 0);
        notes_read(&p->notes, t, key, t->key, NOTES_NO_ROW);
        notes_write(&p->notes, t, key, t->key,
                    notes_cell_value(&p->notes.arena, &rows, i, 0));
        note_values(p, true, t, &s->writes, &rows, i);
    }
    result_rows_free(&rows);
    return outcome;
}

static enum outcome
record_delete(struct statement_recorder *p, struct spec_statement *s)
{
    const struct spec_table *t = s->table;
    const u32_vec none = {0};
    struct result_rows rows = {0};
    enum outcome outcome;
    if (p->flavour->has_returning) {
        outcome = run_returning(p, s, &none, &rows);
    } else {
        outcome = select_locked(p, s, &none, &rows);
        if (outcome == OUTCOME_OK)
            outcome = run(p, s->text, NULL);
    }
    if (outcome == OUTCOME_OK)
        outcome = expect_keys(p, s, &rows);
    if (outcome == OUTCOME_OK)
        note_rows(p, s, &rows);
    for (size_t i = 0; outcome == OUTCOME_OK && i < rows.n; i++)
        for (size_t k = 0; k < t->columns.n; k++)
            notes_write(&p->notes, t, result_rows_get(&rows, i, 0), k,
                        NOTES_NO_ROW);
    result_rows_free(&rows);
    return outcome;
}

enum outcome
statement_recorder_run(struct statement_recorder *p, struct spec_statement *s)
{
    assert(p->notes.is_open);
    switch (s->kind) {
    case SPEC_SELECT:
        return record_select(p, s);
    case SPEC_INSERT:
        return record_insert(p, s);
    case SPEC_UPDATE:
        return record_update(p, s);
    case SPEC_ROWS:
        return row_recorder_run(p, &s->rows);
    default:
        assert(s->kind == SPEC_DELETE);
        return record_delete(p, s);
    }
}
