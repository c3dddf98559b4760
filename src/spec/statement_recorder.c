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

#include "base/utf8.h"
#include "spec/row/row_compare.h"
#include "spec/row/row_dialect.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- queries ---------------------------------------------------------------*/

__attribute__((format(printf, 2, 3))) static enum outcome
refuse(struct statement_recorder *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!p->refusal[0])
        vsnprintf(p->refusal, sizeof p->refusal, format, args);
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
        return refuse(p,
                      "the database answered with %zu columns, but %zu were "
                      "requested",
                      out->width, width);
    for (size_t i = 0; i < out->cells.n; i++) {
        const struct result_cell *cell = &out->cells.at[i];
        const char *text = out->text.at + cell->at;
        if (cell->is_null && i % width == 0)
            return refuse(p, "a row without a key");
        if (!cell->is_null &&
            (strlen(text) != cell->n || !utf8_is_valid(text, cell->n)))
            return refuse(p, "a value that is not text in UTF-8");
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
            return refuse(p, "a row was returned whose key is none of those "
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
    const char *lock = p->flavour->lock_to_update;
    const bool returns = p->flavour->has_returning;
    enum outcome outcome = OUTCOME_OK;
    if (!returns || s->reads.n)
        outcome =
            select_rows(p, s->table, &s->reads, s->condition, lock, before);
    if (outcome == OUTCOME_OK && returns)
        return run_returning(p, s, &s->writes, after);
    if (outcome == OUTCOME_OK)
        outcome = run(p, s->text, NULL);
    if (outcome == OUTCOME_OK)
        outcome =
            select_rows(p, s->table, &s->writes, s->condition, lock, after);
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
        outcome = refuse(p, "rows appeared or disappeared between reading and "
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
            outcome = select_rows(p, t, &s->writes, s->condition,
                                  p->flavour->lock_to_update, &rows);
        if (outcome == OUTCOME_OK && rows.n != s->keys.n)
            outcome = refuse(p, "%zu rows were inserted, but %zu were found",
                             s->keys.n, rows.n);
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
        outcome = select_rows(p, t, &none, s->condition,
                              p->flavour->lock_to_update, &rows);
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

/* --- rows ------------------------------------------------------------------*/

/* Note what triggers told while a statement, which may be NULL, ran. */
static bool
take_told(struct statement_recorder *p, const struct row_run *run)
{
    struct buf *notices = p->connection->notices;
    const bool ok = !notices || !p->notes.is_open ||
                    row_notes_told(&vec_top(&p->notes.txns).rows,
                                   &p->notes.arena, run, notices);
    if (notices)
        buf_clear(notices);
    if (!ok)
        refuse(p, "a trigger's notice was not understood");
    return ok;
}

bool
statement_recorder_take_told(struct statement_recorder *p)
{
    const struct row_run run = {.number = ++p->statements};
    return take_told(p, &run);
}

/* Ask for what triggers told, where they cannot send it. */
static bool
fetch_told(struct statement_recorder *p)
{
    struct result_rows rows = {0};
    if (!p->flavour->told)
        return true;
    bool ok = run(p, p->flavour->told, &rows) == OUTCOME_OK &&
              !result_rows_is_null(&rows, 0, 0);
    const char *text = result_rows_get(&rows, 0, 0);
    for (const char *end = text; ok && *text; text = end + 1) {
        end = strchr(text, ';');
        ok = end != NULL;
        if (!ok)
            break;
        buf_add(&p->notices, text, (size_t)(end - text));
        buf_char(&p->notices, 0);
    }
    result_rows_free(&rows);
    return ok;
}

/* Whether the code of the last error is among these words. */
static bool
has_code(const struct statement_recorder *p, const char *codes)
{
    const char *code = p->connection->code;
    const size_t n = strlen(code);
    for (const char *at = codes; at && n && (at = strstr(at, code)); at += n)
        if ((at == codes || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

/* A statement that a constraint refused has read why: that a row has the key or
 * the values of an index, that none can be referred to, that one refers. */
static void
note_refused(struct statement_recorder *p, struct row_statement *s)
{
    const struct row_run run = {.by = s, .number = p->statements};
    const struct flavour *f = p->flavour;
    row_note_vec *notes = &vec_top(&p->notes.txns).rows;
    const bool is_key = has_code(p, f->duplicate_key) &&
                        strstr(p->connection->message, f->duplicate_says);
    const bool is_unique = has_code(p, f->duplicate_other) && !is_key;
    const bool is_foreign = has_code(p, f->foreign_key);
    bool is_noted = false;
    if (f->error_ends_txn ||
        !(is_key || is_unique || is_foreign || has_code(p, f->constraint)))
        return;
    p->failed_alone = fetch_told(p);
    if (p->failed_alone && is_key && s->shows_conflict)
        is_noted = row_notes_refused(notes, &p->notes.arena, &run, &p->notices);
    else if (p->failed_alone && (is_unique || is_foreign))
        is_noted = row_notes_failed(notes, &p->notes.arena, &run, &p->notices,
                                    is_unique);
    if (!is_noted || !s->is_insert)
        row_statement_leave_out(s, "what it read before it failed");
}

/* Whether the mark of a row is one of these digits. */
static bool
is_marked(const struct result_rows *rows, size_t i, size_t at,
          const char *digits)
{
    return strchr(digits, *result_rows_get(rows, i, at)) != NULL;
}

/* Append a part of a row as a row. */
static void
copy_cells(const struct result_rows *from, size_t row, size_t first, size_t n,
           struct result_rows *to)
{
    to->width = n;
    to->n++;
    for (size_t i = first; i < first + n; i++) {
        const char *text = result_rows_is_null(from, row, i)
                               ? NULL
                               : result_rows_get(from, row, i);
        result_rows_add(to, text, text ? strlen(text) : 0);
    }
}

/* Tell the versions that a select found from its own answer. */
static bool
split_answer(const struct row_statement *s, const struct result_rows *rows,
             struct result_rows *versions, struct result_rows *answer)
{
    const size_t own = s->answers.n, width = 2 * s->items.n;
    result_rows_clear(answer);
    if (rows->n && rows->width != own + 1 + width)
        return false;
    for (size_t i = 0; i < rows->n; i++) {
        if (is_marked(rows, i, own, ROW_MARK_VERSION ROW_MARK_BOTH))
            copy_cells(rows, i, own + 1, width, versions);
        if (is_marked(rows, i, own, ROW_MARK_ANSWER ROW_MARK_BOTH))
            copy_cells(rows, i, 0, own, answer);
    }
    return true;
}

/* Run a select, and get the versions that it found. */
static enum outcome
select_versions(struct statement_recorder *p, const struct row_statement *s,
                struct result_rows *versions)
{
    struct result_rows rows = {0};
    if (!s->answers.n)
        return run(p, s->sql, versions);
    assert(p->answer);
    enum outcome outcome = run(p, s->sql, &rows);
    if (outcome == OUTCOME_OK && !split_answer(s, &rows, versions, p->answer))
        outcome = refuse(p, "the database answered with other columns than "
                            "were requested");
    result_rows_free(&rows);
    return outcome;
}

/* Run a statement that writes, and find out what it changed where no trigger
 * tells. */
static enum outcome
run_change(struct statement_recorder *p, struct row_statement *s)
{
    struct result_rows *answer = s->answers.n ? p->answer : NULL;
    if (!s->watched->dialect->compare)
        return run(p, s->sql, answer);
    struct row_compare c = {0};
    enum outcome outcome = row_compare_begin(&c, p->connection, s);
    if (outcome == OUTCOME_OK)
        outcome = run(p, s->sql, answer);
    if (outcome == OUTCOME_OK)
        outcome = row_compare_end(&c, p->connection, s, &p->notices);
    if (c.refusal[0])
        refuse(p, "%s", c.refusal);
    row_compare_free(&c);
    return outcome;
}

/* What a statement found that is run with others at once. */
struct parts {
    struct result_rows *inner;
    struct result_rows seen, own;
};

/* The part that a row is about, by its mark; NULL if it has another one. */
static struct result_rows *
part_of(struct parts *parts, const struct row_statement *s, const char *mark)
{
    char *end;
    if (strcmp(mark, ROW_MARK_SEEN) == 0)
        return &parts->seen;
    if (strcmp(mark, ROW_MARK_OWN) == 0)
        return &parts->own;
    const unsigned long i = strtoul(mark, &end, 10);
    return !*end && i < s->inner_n ? &parts->inner[i] : NULL;
}

static enum outcome
run_whole(struct statement_recorder *p, const struct row_statement *s,
          struct parts *parts)
{
    struct result_rows rows = {0};
    enum outcome outcome = run(p, s->whole, &rows);
    for (size_t i = 0; outcome == OUTCOME_OK && i < rows.n; i++) {
        struct result_rows *part =
            rows.width == 3 ? part_of(parts, s, result_rows_get(&rows, i, 0))
                            : NULL;
        if (part)
            copy_cells(&rows, i, 1, 2, part);
        else
            outcome = refuse(p, "the database answered with other rows than "
                                "were requested");
    }
    result_rows_free(&rows);
    return outcome;
}

/* Note what the selects inside of a statement found: they come first, and see
 * what was there before it. */
static bool
note_inner(struct statement_recorder *p, const struct row_statement *s,
           const struct parts *parts)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->inner_n; i++) {
        const struct row_run run = {.by = &s->inner[i],
                                    .number = p->statements++};
        ok = row_notes_select(&vec_top(&p->notes.txns).rows, &p->notes.arena,
                              &run, &parts->inner[i]);
    }
    return ok;
}

/* Run a statement, and get what it found. */
static enum outcome
run_statement(struct statement_recorder *p, struct row_statement *s,
              struct parts *parts)
{
    if (s->whole)
        return run_whole(p, s, parts);
    if (s->returns_versions)
        return select_versions(p, s, &parts->own);
    return run_change(p, s);
}

static enum outcome
record_rows(struct statement_recorder *p, struct row_statement *s)
{
    struct parts parts = {.inner =
                              mem_calloc(s->inner_n + 1, sizeof *parts.inner)};
    p->statements++;
    if (!p->connection->notices)
        p->connection->notices = &p->notices;
    enum outcome outcome = OUTCOME_OK;
    if (p->flavour->forget)
        outcome = run(p, p->flavour->forget, NULL);
    if (outcome == OUTCOME_OK)
        outcome = run_statement(p, s, &parts);
    if (outcome == OUTCOME_FAILED)
        note_refused(p, s);
    if (outcome == OUTCOME_OK && !note_inner(p, s, &parts))
        outcome = refuse(p, "the database answered with other columns than "
                            "were requested");
    const struct row_run run = {
        .by = s,
        .number = p->statements,
        .sql = row_notes_freeze(&p->notes.arena, s, parts.inner),
        .seen = s->seen ? &parts.seen : NULL};
    if (outcome == OUTCOME_OK && s->returns_versions &&
        !row_notes_select(&vec_top(&p->notes.txns).rows, &p->notes.arena, &run,
                          &parts.own))
        outcome = refuse(p, "the database answered with other columns than "
                            "were requested");
    if (outcome == OUTCOME_OK && !s->returns_versions && !fetch_told(p))
        outcome = refuse(p, "what triggers told cannot be read");
    if (outcome == OUTCOME_OK && !take_told(p, &run))
        outcome = OUTCOME_FAILED;
    buf_clear(&p->notices);
    for (size_t i = 0; i < s->inner_n; i++)
        result_rows_free(&parts.inner[i]);
    mem_free(parts.inner);
    result_rows_free(&parts.seen);
    result_rows_free(&parts.own);
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
        return record_rows(p, &s->rows);
    default:
        assert(s->kind == SPEC_DELETE);
        return record_delete(p, s);
    }
}
