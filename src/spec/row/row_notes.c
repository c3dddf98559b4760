/* row_notes.c -- see row_notes.h.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_notes.h"

#include "base/container/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
note_query(row_note_vec *out, const struct row_run *run, size_t found,
           bool is_cut)
{
    vec_push(out, ((struct row_note){.kind = ROW_NOTE_QUERY,
                                     .statement = run->number,
                                     .table = run->by->table,
                                     .by = run->by,
                                     .sql = run->sql,
                                     .is_cut = is_cut,
                                     .found = found}));
}

static const char *
copy_cell(struct arena *arena, const struct result_rows *rows, size_t i,
          size_t k)
{
    const char *text = result_rows_get(rows, i, k);
    return arena_copy(arena, text, strlen(text));
}

/* Note the versions of an answer. */
static void
note_versions(row_note_vec *out, struct arena *arena, const struct row_run *run,
              enum row_note_kind kind, const struct result_rows *rows)
{
    const u32_vec *items = &run->by->items;
    for (size_t i = 0; i < rows->n; i++)
        for (size_t k = 0; k < items->n; k++) {
            if (result_rows_is_null(rows, i, 2 * k))
                continue; // an outer join found none
            struct row_note note = {.kind = kind,
                                    .statement = run->number,
                                    .table = items->at[k],
                                    .by = run->by};
            note.before.name = copy_cell(arena, rows, i, 2 * k);
            note.before.values = copy_cell(arena, rows, i, 2 * k + 1);
            vec_push(out, note);
        }
}

bool
row_notes_select(row_note_vec *out, struct arena *arena,
                 const struct row_run *run, const struct result_rows *rows)
{
    const struct row_statement *s = run->by;
    const bool is_cut = s->limit && rows->n >= s->limit;
    const bool is_query = s->table != WATCHED_NONE && (!is_cut || s->order);
    assert(s->returns_versions);
    if (rows->n && rows->width != 2 * s->items.n)
        return false;
    const size_t query = out->n;
    if (is_query)
        note_query(out, run, rows->n, is_cut);
    note_versions(out, arena, run, ROW_NOTE_READ, rows);
    if (is_query && run->seen) {
        out->at[query].seen = run->seen->n;
        note_versions(out, arena, run, ROW_NOTE_SEEN, run->seen);
    }
    return true;
}

/* --- conditions with selects inside ----------------------------------------*/

/* The rows that a select found, in place of its table. */
static void
put_found(struct buf *sql, const struct row_place *place,
          const struct result_rows *found)
{
    struct buf rows = {0};
    buf_char(&rows, '[');
    for (size_t i = 0; i < found->n; i++)
        buf_printf(&rows, "%s%s", i ? "," : "", result_rows_get(found, i, 1));
    buf_char(&rows, ']');
    buf_printf(sql, "jsonb_populate_recordset(null::%s, ", place->table);
    watched_put_literal(sql, rows.at);
    buf_text(sql, "::jsonb)");
    if (place->alias)
        buf_printf(sql, " as %s", place->alias);
    buf_free(&rows);
}

const char *
row_notes_freeze(struct arena *arena, const struct row_statement *s,
                 const struct result_rows *found)
{
    struct buf sql = {0};
    size_t at = 0;
    if (!s->places_n)
        return NULL;
    for (size_t i = 0; i < s->places_n; i++) {
        const struct row_place *p = &s->places[i];
        assert(p->at >= at);
        buf_add(&sql, s->condition + at, p->at - at);
        put_found(&sql, p, &found[p->inner]);
        at = p->at + p->n;
    }
    buf_text(&sql, s->condition + at);
    const char *copy = arena_copy(arena, sql.at, sql.n);
    buf_free(&sql);
    return copy;
}

/* --- notices ---------------------------------------------------------------*/

/* Cut a line off a text. */
static const char *
take_line(char **at)
{
    char *line = *at, *end = line ? strchr(line, '\n') : NULL;
    if (end)
        *end = 0;
    *at = end ? end + 1 : NULL;
    return line;
}

static bool
read_notice(char *text, uint32_t statement, struct row_note *out)
{
    const char *table = take_line(&text), *letter = take_line(&text);
    const char *parts[4] = {0};
    size_t n = 0;
    while (text && n < 4)
        parts[n++] = take_line(&text);
    if (!table || !letter || text || n < 2)
        return false;
    *out = (struct row_note){.statement = statement,
                             .table = (uint32_t)strtoul(table, NULL, 10)};
    const struct row_seen first = {parts[0], parts[1]};
    const struct row_seen second = {parts[2], parts[3]};
    switch (*letter) {
    case 'F':
        out->kind = ROW_NOTE_SEEN;
        out->before = first;
        return n == 2;
    case 'P':
        out->kind = ROW_NOTE_PROPOSE;
        out->after = first;
        return n == 2;
    case 'I':
        out->kind = ROW_NOTE_INSERT;
        out->after = first;
        return n == 2;
    case 'U':
        out->kind = ROW_NOTE_UPDATE;
        out->before = first;
        out->after = second;
        return n == 4;
    default:
        out->kind = ROW_NOTE_DELETE;
        out->before = first;
        return *letter == 'D' && n == 2;
    }
}

/* A name for a row that may never be a version: no other has it. */
static const char *
own_name(struct arena *arena, const char *values)
{
    char name[32];
    const int n = snprintf(name, sizeof name, "%p", (const void *)values);
    return arena_copy(arena, name, (size_t)n);
}

/* Which notes made a version that a note of the same statement replaced. */
struct makers {
    struct strings names; // of the versions that were made
    u32_vec note;         // by name: which one made it
};

#define NO_NOTE UINT32_MAX

static void
find_makers(struct makers *m, const row_note_vec *told)
{
    *m = (struct makers){0};
    for (uint32_t i = 0; i < told->n; i++) {
        const char *name = told->at[i].after.name;
        if (!name || !row_note_is_change(&told->at[i]))
            continue;
        const uint32_t id = strings_add(&m->names, name, strlen(name));
        if (id == m->note.n)
            vec_push(&m->note, i);
    }
}

static uint32_t
maker_of(struct makers *m, const struct row_note *n)
{
    if (!n->before.name)
        return NO_NOTE;
    const uint32_t id =
        strings_add(&m->names, n->before.name, strlen(n->before.name));
    if (id == m->note.n)
        vec_push(&m->note, NO_NOTE);
    return m->note.at[id];
}

static void
free_makers(struct makers *m)
{
    strings_free(&m->names);
    vec_free(&m->note);
}

/* A cascade or a trigger may change a row once more before the trigger that
 * tells has told of the first change.  Put the notes into the order in which
 * the versions replaced each other. */
static void
order_told(row_note_vec *told)
{
    row_note_vec ordered = {0};
    u32_vec chain = {0};
    struct makers makers;
    bool *is_taken = mem_calloc(told->n + 1, sizeof *is_taken);
    find_makers(&makers, told);
    for (uint32_t i = 0; i < told->n; i++) {
        for (uint32_t k = i; k != NO_NOTE && !is_taken[k];
             k = maker_of(&makers, &told->at[k])) {
            is_taken[k] = true;
            vec_push(&chain, k);
        }
        for (; chain.n; chain.n--)
            vec_push(&ordered, told->at[chain.at[chain.n - 1]]);
    }
    assert(ordered.n == told->n);
    free_makers(&makers);
    mem_free(is_taken);
    vec_free(&chain);
    vec_free(told);
    *told = ordered;
}

/* Whether triggers told of the rows that were found, besides those that were
 * changed. */
static bool
tells_found(const row_note_vec *told, uint32_t table)
{
    bool tells = false;
    for (size_t i = 0; !tells && i < told->n; i++)
        tells = told->at[i].kind == ROW_NOTE_SEEN && told->at[i].table == table;
    return tells;
}

/* Whether a version is among the notes from a place on.  A row that goes to
 * another partition is told twice, as updated and as deleted. */
static bool
is_noted(const row_note_vec *notes, size_t from, const struct row_note *n)
{
    bool is_there = false;
    for (size_t i = from; !is_there && i < notes->n; i++)
        is_there = notes->at[i].kind == ROW_NOTE_READ &&
                   strcmp(notes->at[i].before.name, n->before.name) == 0;
    return is_there;
}

/* The rows of the statement's table that it changed are those that its
 * condition found. */
static void
note_found(row_note_vec *out, const struct row_run *run,
           const row_note_vec *told)
{
    const size_t at = out->n;
    struct row_statement *s = run->by;
    const bool tells = tells_found(told, s->table);
    struct makers makers;
    find_makers(&makers, told);
    note_query(out, run, 0, false);
    for (size_t i = 0; i < told->n; i++) {
        const struct row_note *n = &told->at[i];
        if (n->table != s->table || !n->before.name ||
            tells != (n->kind == ROW_NOTE_SEEN) ||
            (tells && is_noted(out, at, n)) ||
            maker_of(&makers, n) != NO_NOTE) // a cascade changed it once more
            continue;
        vec_push(out, ((struct row_note){.kind = ROW_NOTE_READ,
                                         .statement = run->number,
                                         .table = n->table,
                                         .by = s,
                                         .before = n->before}));
        out->at[at].found++;
    }
    free_makers(&makers);
}

bool
row_notes_told(row_note_vec *out, struct arena *arena,
               const struct row_run *run, const struct buf *notices)
{
    struct row_statement *s = run->by;
    row_note_vec told = {0};
    bool ok = true;
    for (size_t at = 0; ok && at < notices->n;) {
        const size_t n = strlen(notices->at + at);
        struct row_note note;
        ok = read_notice(arena_copy(arena, notices->at + at, n), run->number,
                         &note);
        note.by = s;
        if (ok && note.kind == ROW_NOTE_PROPOSE)
            note.after.name = own_name(arena, note.after.values);
        note.is_same = ok && note.kind == ROW_NOTE_UPDATE &&
                       strcmp(note.before.name, note.after.name) == 0;
        if (note.is_same)
            note.after.name = own_name(arena, note.after.values);
        if (ok && (note.kind != ROW_NOTE_PROPOSE || (s && s->may_conflict)))
            vec_push(&told, note);
        at += n + 1;
    }
    order_told(&told);
    if (ok && s && !s->returns_versions && s->table != WATCHED_NONE)
        note_found(out, run, &told);
    for (size_t i = 0; ok && i < told.n; i++)
        if (told.at[i].kind != ROW_NOTE_SEEN)
            vec_push(out, told.at[i]);
    vec_free(&told);
    return ok;
}

bool
row_notes_refused(row_note_vec *out, struct arena *arena,
                  const struct row_run *run, const struct buf *notices)
{
    row_note_vec told = {0};
    struct row_note last = {.kind = ROW_NOTE_READ};
    bool ok = true, only_inserts = true;
    for (size_t at = 0, n; ok && at < notices->n; at += n + 1) {
        n = strlen(notices->at + at);
        ok = read_notice(arena_copy(arena, notices->at + at, n), run->number,
                         &last);
        last.by = run->by;
        last.is_failed = true;
        only_inserts =
            only_inserts && ok &&
            (last.kind == ROW_NOTE_INSERT || last.kind == ROW_NOTE_PROPOSE);
        if (ok && last.after.name) // no other version has the name
            last.after.name = own_name(arena, last.after.values);
        if (ok && last.kind == ROW_NOTE_INSERT)
            vec_push(&told, last);
    }
    ok = ok && last.kind == ROW_NOTE_PROPOSE;
    if (ok && !only_inserts) {
        row_statement_leave_out(run->by,
                                "which row was in the way of an insert");
    } else if (ok) {
        vec_push(&told, last);
        for (size_t i = 0; i < told.n; i++)
            vec_push(out, told.at[i]);
    }
    vec_free(&told);
    return ok;
}

bool
row_notes_failed(row_note_vec *out, struct arena *arena,
                 const struct row_run *run, const struct buf *notices,
                 bool is_unique)
{
    struct row_note note = {.kind = ROW_NOTE_READ};
    size_t told[ROW_NOTE_FAILED + 1] = {0};
    for (size_t at = 0, n; at < notices->n; at += n + 1) {
        n = strlen(notices->at + at);
        if (!read_notice(arena_copy(arena, notices->at + at, n), run->number,
                         &note))
            return false;
        told[note.kind]++;
    }
    const size_t others = told[ROW_NOTE_UPDATE] + told[ROW_NOTE_DELETE];
    const bool is_insert = told[ROW_NOTE_PROPOSE] < 2 &&
                           told[ROW_NOTE_INSERT] < 2 && !others &&
                           note.after.name;
    const bool is_delete = others == 1 && note.kind == ROW_NOTE_DELETE &&
                           !told[ROW_NOTE_INSERT] && !told[ROW_NOTE_PROPOSE];
    if (!is_insert && (!is_delete || is_unique))
        return false;
    if (is_delete)
        vec_push(out, ((struct row_note){.kind = ROW_NOTE_READ,
                                         .statement = run->number,
                                         .table = note.table,
                                         .by = run->by,
                                         .before = note.before}));
    else
        note.after.name = own_name(arena, note.after.values);
    note.kind = ROW_NOTE_FAILED;
    note.failed = is_delete   ? ROW_CHECK_REFERRED
                  : is_unique ? ROW_CHECK_UNIQUE
                              : ROW_CHECK_REFERS;
    note.by = run->by;
    vec_push(out, note);
    return true;
}
