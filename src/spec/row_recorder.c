/* row_recorder.c -- see row_recorder.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row_recorder.h"

#include "spec/row/row_book.h"
#include "spec/row/row_compare.h"
#include "spec/row/row_dialect.h"

#include <stdlib.h>
#include <string.h>

static enum outcome
run(struct statement_recorder *p, const char *sql, struct result_rows *out)
{
    return p->connection->driver->query(p->connection, sql, out);
}

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
        statement_recorder_refuse(p, "a trigger's notice was not understood");
    return ok;
}

bool
row_recorder_take_told(struct statement_recorder *p)
{
    const struct row_run run = {.number = ++p->statements};
    return take_told(p, &run);
}

/* Ask for what triggers told, where they cannot send it.  OUTCOME_FAILED: it
 * is not known. */
static enum outcome
fetch_told(struct statement_recorder *p)
{
    struct result_rows rows = {0};
    if (!p->flavour->told)
        return OUTCOME_OK;
    enum outcome outcome = run(p, p->flavour->told, &rows);
    if (outcome == OUTCOME_OK && result_rows_is_null(&rows, 0, 0))
        outcome = OUTCOME_FAILED;
    const char *text = result_rows_get(&rows, 0, 0);
    for (const char *end; outcome == OUTCOME_OK && *text; text = end + 1) {
        end = strchr(text, ';');
        if (!end) {
            outcome = OUTCOME_FAILED;
            break;
        }
        buf_add(&p->notices, text, (size_t)(end - text));
        buf_char(&p->notices, 0);
    }
    result_rows_free(&rows);
    return outcome;
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
    p->failed_alone = fetch_told(p) == OUTCOME_OK;
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
        outcome = statement_recorder_refuse(
            p, "the database answered with other columns than "
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
        statement_recorder_refuse(p, "%s", c.refusal);
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
            outcome = statement_recorder_refuse(
                p, "the database answered with other rows than "
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

enum outcome
row_recorder_run(struct statement_recorder *p, struct row_statement *s)
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
        outcome = statement_recorder_refuse(
            p, "the database answered with other columns than "
               "were requested");
    if (outcome == OUTCOME_OK && s->returns_versions)
        outcome = row_book_name_all(s->watched, p->connection, s->items.at,
                                    s->items.n, &parts.own);
    const struct row_run run = {
        .by = s,
        .number = p->statements,
        .sql = row_notes_freeze(&p->notes.arena, s, parts.inner),
        .seen = s->seen ? &parts.seen : NULL};
    if (outcome == OUTCOME_OK && s->returns_versions &&
        !row_notes_select(&vec_top(&p->notes.txns).rows, &p->notes.arena, &run,
                          &parts.own))
        outcome = statement_recorder_refuse(
            p, "the database answered with other columns than "
               "were requested");
    const bool is_done = outcome == OUTCOME_OK;
    if (is_done && !s->returns_versions)
        outcome = fetch_told(p); // the connection may be lost meanwhile
    if (is_done && outcome == OUTCOME_FAILED)
        statement_recorder_refuse(p, "what triggers told cannot be read");
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
