/* row_operations.c -- see row_operations.h.
 *
 * A version names the one that it replaced ("prev") only if the database told
 * that one together with the write, so the order is the database's own:
 *   (1) it is a version of the history, and no other has its name;
 *   (2) it is not of the same transaction, nor has that written the row before:
 *       then the order of the operations says it;
 *   (3) an insert names none.  It has read that its key was absent, but not
 *       which delete made it so.
 *
 * SPDX-License-Identifier: MIT */
#include "spec/row/row_operations.h"

#include "base/json.h"
#include "spec/row/row_dialect.h"

#include <stdio.h>
#include <string.h>

bool
row_operations_refuse(struct row_writer *w, const char *what, const char *name)
{
    if (!w->refusal[0])
        snprintf(w->refusal, w->room, "%.120s%.100s", what, name);
    return false;
}

/* --- operations ------------------------------------------------------------*/

void
row_operations_put_row(struct row_writer *w, uint32_t version)
{
    const struct row_version *v = &w->versions.all.at[version];
    const struct watched_table *t = &w->watched->tables.at[v->table];
    json_array(&w->line, NULL);
    json_text(&w->line, NULL, t->name);
    if (t->keys.n)
        json_raw(&w->line, NULL, v->key, strlen(v->key));
    else
        json_u64(&w->line, NULL, v->row + 1);
    json_array_end(&w->line);
}

void
row_operations_begin(struct row_writer *w, const char *kind)
{
    json_array(&w->line, NULL);
    json_text(&w->line, NULL, kind);
}

void
row_operations_end(struct row_writer *w)
{
    json_array_end(&w->line);
}

void
row_operations_end_check(struct row_writer *w)
{
    json_object(&w->line, NULL);
    json_bool(&w->line, "check", true);
    json_object_end(&w->line);
    row_operations_end(w);
}

void
row_operations_put_read(struct row_writer *w, uint32_t version)
{
    const struct row_version *v = &w->versions.all.at[version];
    row_operations_put_row(w, version);
    json_raw(&w->line, NULL, v->shown, strlen(v->shown));
    if (v->is_same)
        return; // it may be any version with these values
    json_object(&w->line, NULL);
    json_u64(&w->line, "ver", version);
    json_object_end(&w->line);
}

void
row_operations_put_written(struct row_writer *w, uint32_t version,
                           uint32_t replaced)
{
    const struct row_version *v = &w->versions.all.at[version];
    row_operations_put_row(w, version);
    json_raw(&w->line, NULL, v->shown, strlen(v->shown));
    json_object(&w->line, NULL);
    json_u64(&w->line, "ver", version);
    if (replaced != WATCHED_NONE)
        json_u64(&w->line, "prev", replaced);
    json_array(&w->line, "satisfies");
    size_t n;
    const uint32_t *satisfied =
        row_versions_satisfied(&w->versions, version, &n);
    for (size_t i = 0; i < n; i++)
        json_text(&w->line, NULL, w->versions.conditions.at[satisfied[i]].name);
    json_array_end(&w->line);
    json_object_end(&w->line);
}

uint32_t
row_operations_version(struct row_writer *w, uint32_t table,
                       const struct row_seen *seen)
{
    return row_versions_add(&w->versions, table, seen);
}

static void
write_read(struct row_writer *w, uint32_t version)
{
    row_operations_begin(w, "r");
    row_operations_put_read(w, version);
    row_operations_end(w);
}

/* Read the rows that a query found, where it does not say which versions. */
static void
write_found(struct row_writer *w, const struct row_note *q, uint32_t condition,
            const struct row_condition_text *c)
{
    for (size_t i = 0; i < q->found; i++) {
        const uint32_t version =
            row_operations_version(w, q->table, &q[1 + i].before);
        if (q->by->locks
                ? !q->by->is_blind || w->reads_blind
                : c && c->of &&
                      !row_versions_holds(&w->versions, condition, version))
            write_read(w, version);
    }
}

static bool
finds_row(struct row_writer *w, const struct row_note *q, uint32_t number)
{
    for (size_t i = 0; i < q->found; i++)
        if (w->versions.all
                .at[row_operations_version(w, q->table, &q[1 + i].before)]
                .number == number)
            return true;
    return false;
}

/* Whether a version of a row satisfies a condition; WATCHED_NONE: all do. */
static bool
row_may_match(const struct row_writer *w, uint32_t row, uint32_t condition)
{
    for (uint32_t i = 0; i < w->versions.all.n; i++)
        if (w->versions.all.at[i].number == row &&
            (condition == WATCHED_NONE ||
             row_versions_holds(&w->versions, condition, i)))
            return true;
    return false;
}

/* Whether a statement that may have waited missed a row that was deleted and
 * inserted again at once.  It saw that the old version is gone, and its
 * snapshot does not have the new one: that is no version of the row. */
static bool
misses_inserted_again(struct row_writer *w, const struct row_note *q,
                      uint32_t condition)
{
    for (size_t i = 0; i < w->inserted_again.n; i++) {
        const struct row_inserted_again *a = &w->inserted_again.at[i];
        if (a->began <= w->ended && w->began <= a->ended &&
            w->versions.all.at[a->row].table == q->table &&
            row_may_match(w, a->row, condition) && !finds_row(w, q, a->row))
            return true;
    }
    return false;
}

/* A condition and what it found.  A statement that locks may have waited for a
 * row, and then have seen a later version of it than of other rows: reads of
 * rows that it found come last.  It may also have waited for a row that it did
 * not find, so there is no order among those. */
static void
write_query(struct row_writer *w, const struct row_note *q)
{
    const uint32_t condition = row_versions_condition(&w->versions, q);
    const struct row_condition_text *c =
        condition == WATCHED_NONE ? NULL
                                  : &w->versions.conditions.at[condition];
    if (q->by->locks && misses_inserted_again(w, q, condition)) {
        w->left_out = "which rows a statement that waited did not find";
        write_found(w, q, condition, c);
        return;
    }
    row_operations_begin(w, "q");
    json_object(&w->line, NULL);
    json_text(&w->line, "table", w->watched->tables.at[q->table].name);
    json_text(&w->line, c ? "id" : "where", c ? c->name : "TRUE");
    if (q->by->locks && w->watched->dialect->waits_for_rows)
        json_bool(&w->line, "unordered", true);
    json_object_end(&w->line);
    json_array(&w->line, NULL);
    for (size_t i = 0; i < q->found; i++) {
        const uint32_t version =
            row_operations_version(w, q->table, &q[1 + i].before);
        const bool holds =
            !c || row_versions_holds(&w->versions, condition, version);
        if (!holds && c->of)
            continue; // it is where nothing is known of others
        json_array(&w->line, NULL);
        if (q->by->locks) {
            row_operations_put_row(w, version);
            json_object(&w->line, NULL);
            json_object_end(&w->line);
        } else {
            row_operations_put_read(w, version);
        }
        json_array_end(&w->line);
        if (!holds)
            row_operations_refuse(
                w, "a row was found that does not satisfy: ", q->by->condition);
    }
    json_array_end(&w->line);
    row_operations_end(w);
    write_found(w, q, condition, c);
}

bool
row_operations_is_same_row(const struct row_writer *w, uint32_t a, uint32_t b)
{
    return row_versions_is_same_row(&w->versions, a, b);
}

/* The key of a row that is inserted was absent: the unique index of the primary
 * key checks that. */
static void
write_absence(struct row_writer *w, uint32_t version)
{
    row_operations_begin(w, "r");
    row_operations_put_row(w, version);
    json_null(&w->line, NULL);
    row_operations_end_check(w);
}

/* Note that the transaction writes the row of a version; whether it is the
 * first time. */
static bool
note_written(struct row_writer *w, uint32_t version)
{
    uint32_t *txn = &w->written[w->versions.all.at[version].number];
    const bool is_first = *txn != w->txn;
    *txn = w->txn;
    return is_first;
}

/* What a write of its row replaced, as the write says it: the version before,
 * or WATCHED_NONE. */
static uint32_t
replaced_by(struct row_writer *w, uint32_t before)
{
    const struct row_version *v = &w->versions.all.at[before];
    const bool is_first = note_written(w, before);
    const bool is_there = v->is_initial || v->txn;
    return w->watched->dialect->tells_replaced && is_first && is_there &&
                   v->txn != w->txn && !v->is_same
               ? before
               : WATCHED_NONE;
}

static void
write_insert(struct row_writer *w, uint32_t version, bool was_absent)
{
    if (was_absent)
        write_absence(w, version);
    note_written(w, version);
    row_operations_begin(w, "i");
    row_operations_put_written(w, version, WATCHED_NONE);
    row_operations_end(w);
}

static void
write_update(struct row_writer *w, uint32_t before, uint32_t after)
{
    row_operations_begin(w, "u");
    row_operations_put_written(w, after, replaced_by(w, before));
    row_operations_end(w);
}

static void
write_delete(struct row_writer *w, uint32_t version)
{
    const uint32_t replaced = replaced_by(w, version);
    row_operations_begin(w, "d");
    row_operations_put_row(w, version);
    if (replaced != WATCHED_NONE) {
        json_object(&w->line, NULL);
        json_u64(&w->line, "prev", replaced);
        json_object_end(&w->line);
    }
    row_operations_end(w);
}

/* A row that an insert was about to add: if no row with its key was added or
 * updated by the statement, there was one already.  One that the statement
 * deleted was there as well, and is read before: otherwise the insert would
 * have added its own. */
static void
write_conflict(struct row_writer *w, const struct row_note *p,
               const struct row_note *notes, size_t n)
{
    const uint32_t version = row_operations_version(w, p->table, &p->after);
    const struct watched_table *t = &w->watched->tables.at[p->table];
    bool is_there = t->keys.n && !t->has_other_unique && !t->has_own_triggers;
    for (size_t i = 0; is_there && i < n; i++) {
        const struct row_note *o = &notes[i];
        if (o->statement == p->statement && o->kind == ROW_NOTE_INSERT)
            is_there = !row_operations_is_same_row(
                w, version, row_operations_version(w, o->table, &o->after));
        else if (o->statement == p->statement &&
                 (o->kind == ROW_NOTE_UPDATE || o->kind == ROW_NOTE_DELETE))
            is_there = !row_operations_is_same_row(
                w, version, row_operations_version(w, o->table, &o->before));
    }
    if (!is_there)
        return;
    row_operations_begin(w, "r");
    row_operations_put_row(w, version);
    json_object(&w->line, NULL);
    json_object_end(&w->line);
    row_operations_end_check(w);
}

/* Whether it tells of a version that the statement replaced or removed. */
static bool
is_removal(const struct row_note *n)
{
    return n->before.name && row_note_is_change(n);
}

/* Whether the statement removed the row that this version has, from which it
 * follows that the row was there before. */
static bool
is_removed(struct row_writer *w, uint32_t version, const struct row_note *notes,
           size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_removal(&notes[i]) &&
            row_operations_is_same_row(
                w, version,
                row_operations_version(w, notes[i].table, &notes[i].before)))
            return true;
    return false;
}

/* Whether the statement added a row, and so read that its key was absent. */
static bool
reads_absence(struct row_writer *w, const struct row_note *note, bool removes,
              const struct row_note *notes, size_t n)
{
    if (!note->after.name || !row_note_is_change(note) ||
        !w->watched->tables.at[note->table].keys.n)
        return false;
    const uint32_t after = row_operations_version(w, note->table, &note->after);
    return !removes || !is_removed(w, after, notes, n);
}

/* Whether a statement removes or changes rows at all. */
static bool
removes_rows(const struct row_note *notes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_removal(&notes[i]))
            return true;
    return false;
}

/* What a statement wrote.  The versions it replaced were read by its query, if
 * it has one. */
static void
write_change(struct row_writer *w, const struct row_note *n, bool is_read,
             bool adds)
{
    uint32_t before = WATCHED_NONE, after = WATCHED_NONE;
    if (n->before.name)
        before = row_operations_version(w, n->table, &n->before);
    if (n->after.name)
        after = row_operations_version(w, n->table, &n->after);
    if (before != WATCHED_NONE && !is_read)
        write_read(w, before);
    if (n->kind == ROW_NOTE_INSERT) {
        write_insert(w, after, adds);
    } else if (n->kind == ROW_NOTE_DELETE) {
        write_delete(w, before);
    } else if (row_operations_is_same_row(w, before, after)) {
        write_update(w, before, after);
    } else {
        write_delete(w, before);
        write_insert(w, after, adds);
    }
}

/* --- statements that were undone -------------------------------------------*/

static bool
is_undone_row(const struct row_writer *w, uint32_t version)
{
    for (size_t i = 0; i < w->undone.n; i++)
        if (row_operations_is_same_row(w, version, w->undone.at[i]))
            return true;
    return false;
}

static bool
is_undone_table(const struct row_writer *w, uint32_t table)
{
    for (size_t i = 0; i < w->undone.n; i++)
        if (w->versions.all.at[w->undone.at[i]].table == table)
            return true;
    return false;
}

static void
read_unless_undone(struct row_writer *w, const struct row_note *n)
{
    const uint32_t before = row_operations_version(w, n->table, &n->before);
    if (!is_undone_row(w, before))
        write_read(w, before);
}

/* Its writes never were, but what it read is what its transaction read.  Of the
 * rows that undone statements wrote it saw their versions, so a condition says
 * nothing about their table. */
static void
write_undone(struct row_writer *w, const struct row_note *notes, size_t n)
{
    uint32_t queried = WATCHED_NONE;
    const bool removes = removes_rows(notes, n);
    for (size_t i = 0; i < n; i++) {
        const struct row_note *o = &notes[i];
        if (o->kind == ROW_NOTE_QUERY && !is_undone_table(w, o->table)) {
            write_query(w, o);
            queried = o->table;
            i += o->found + o->seen;
        } else if (o->kind == ROW_NOTE_QUERY) {
            row_statement_leave_out(
                o->by, "which rows it did not find, since a savepoint to "
                       "which the transaction went back");
        } else if (o->before.name && o->kind != ROW_NOTE_SEEN &&
                   o->kind != ROW_NOTE_ABSENT && o->table != queried) {
            read_unless_undone(w, o);
        }
        if (reads_absence(w, o, removes, notes, n)) {
            const uint32_t after =
                row_operations_version(w, o->table, &o->after);
            if (!is_undone_row(w, after))
                write_absence(w, after);
        }
    }
    for (size_t i = 0; i < n; i++) {
        const struct row_note *o = &notes[i];
        if (o->kind == ROW_NOTE_PROPOSE &&
            !is_undone_row(w, row_operations_version(w, o->table, &o->after)))
            write_conflict(w, o, notes, n);
        if (!row_note_is_change(o))
            continue;
        if (o->before.name)
            vec_push(&w->undone,
                     row_operations_version(w, o->table, &o->before));
        if (o->after.name)
            vec_push(&w->undone,
                     row_operations_version(w, o->table, &o->after));
    }
}

/* An insert that failed: what it had added was not there, and one row was. */
static void
write_failed(struct row_writer *w, const struct row_note *notes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct row_note *o = &notes[i];
        const uint32_t after = row_operations_version(w, o->table, &o->after);
        if (o->is_undone && is_undone_row(w, after))
            continue;
        if (o->kind == ROW_NOTE_INSERT)
            write_absence(w, after);
        else
            write_conflict(w, o, notes, n);
    }
}

/* --- statements ------------------------------------------------------------*/

/* Which statement the next operations are of, and how it locks their rows. */
static void
write_step(struct row_writer *w, const struct row_note *n)
{
    static const char *const locks[] = {[ROW_LOCK_KEY_SHARE] = "key share",
                                        [ROW_LOCK_SHARE] = "share",
                                        [ROW_LOCK_NO_KEY_UPDATE] =
                                            "no key update",
                                        [ROW_LOCK_UPDATE] = "update"};
    if (!n->step || (n->step == w->step && n->lock == w->lock))
        return;
    w->step = n->step;
    w->lock = n->lock;
    row_operations_begin(w, "statement");
    json_u64(&w->line, NULL, n->step);
    if (n->lock != ROW_LOCK_NONE)
        json_text(&w->line, NULL, locks[n->lock]);
    row_operations_end(w);
}

static void
write_done(struct row_writer *w, const struct row_note *notes, size_t n)
{
    uint32_t queried = WATCHED_NONE;
    const bool removes = removes_rows(notes, n);
    for (size_t i = 0; i < n; i++) {
        write_step(w, &notes[i]);
        switch (notes[i].kind) {
        case ROW_NOTE_QUERY:
            write_query(w, &notes[i]);
            queried = notes[i].table;
            i += notes[i].found + notes[i].seen;
            break;
        case ROW_NOTE_READ:
            write_read(
                w, row_operations_version(w, notes[i].table, &notes[i].before));
            break;
        case ROW_NOTE_ABSENT:
            row_operations_begin(w, "r");
            row_operations_put_row(
                w, row_operations_version(w, notes[i].table, &notes[i].before));
            buf_char(&w->line, ']');
            break;
        case ROW_NOTE_FAILED:
            break; // row_checks.h
        case ROW_NOTE_PROPOSE:
            break; // below: it may be told before the row is there
        default:
            write_change(w, &notes[i], notes[i].table == queried,
                         reads_absence(w, &notes[i], removes, notes, n));
        }
    }
    for (size_t i = 0; i < n; i++)
        if (notes[i].kind == ROW_NOTE_PROPOSE)
            write_conflict(w, &notes[i], notes, n);
}

void
row_operations_statement(struct row_writer *w, const struct row_note *notes,
                         size_t n)
{
    assert(n > 0);
    if (notes[0].is_failed || notes[0].is_undone)
        write_step(w, &notes[0]);
    if (notes[0].is_failed)
        write_failed(w, notes, n);
    else if (notes[0].is_undone)
        write_undone(w, notes, n);
    else
        write_done(w, notes, n);
}
