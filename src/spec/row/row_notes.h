/* row_notes.h -- what the statements of a session did with rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_NOTES_H
#define SPEC_ROW_ROW_NOTES_H

#include "history/history.h"
#include "spec/row/row_statement.h"

enum row_note_kind {
    ROW_NOTE_QUERY,   // a condition; after it come what it found and what was
                      // seen
    ROW_NOTE_READ,    // of 'before'
    ROW_NOTE_ABSENT,  // the row that has the version 'before' was not there
    ROW_NOTE_SEEN,    // 'before' was in the snapshot; it may have been skipped
    ROW_NOTE_INSERT,  // of 'after'
    ROW_NOTE_UPDATE,  // of 'before' to 'after'
    ROW_NOTE_DELETE,  // of 'before'
    ROW_NOTE_PROPOSE, // an insert was about to add 'after'
    ROW_NOTE_FAILED,  // a check refused 'after', or the delete of 'before'
};

/* Which rows a check compares with (row_checks.h). */
enum row_check_role {
    ROW_CHECK_UNIQUE,   // the others of the table
    ROW_CHECK_REFERS,   // those that are referred to
    ROW_CHECK_REFERRED, // those that refer
    ROW_CHECK_ROLES
};

/* A version as a statement or a trigger showed it. */
struct row_seen {
    const char *name;   // see watched.h
    const char *values; // JSON
};

struct row_note {
    enum row_note_kind kind;
    uint32_t statement; // notes of a statement have the same number
    uint32_t table;
    struct row_seen before, after;
    struct row_statement *by;   // NULL: something deferred, by a commit
    size_t found;               // QUERY: how many reads follow
    size_t seen;                // QUERY: how many SEEN follow these
    const char *sql;            // QUERY: the condition, if it has inner selects
    bool is_cut;                // QUERY: at the limit
    enum row_check_role failed; // FAILED: at this check
    uint32_t step;              // of the statements that 'meta' shows, from 1
                                // on; 0: not known
    enum row_lock lock;         // how it locked the row
    bool is_undone; // its transaction went back to a savepoint before it
    bool is_failed; // its statement failed, and its transaction went on
    bool is_same;   // UPDATE: the database kept the version, because nothing in
                    // it changed; 'after' has a name that no row will have
};

typedef VEC(struct row_note) row_note_vec;

/* One run of a statement. */
struct row_run {
    struct row_statement *by;       // NULL: a commit
    uint32_t number;                // of its notes
    const char *sql;                // see row_note
    const struct result_rows *seen; // by the statement's 'seen', or NULL
};

/* Note the rows that a select returned.  False if the answer has another
 * shape. */
bool row_notes_select(row_note_vec *out, struct arena *arena,
                      const struct row_run *run,
                      const struct result_rows *rows);

/* Note what triggers told during a statement, and what it follows that the
 * statement read.  False if a notice has another shape. */
bool row_notes_told(row_note_vec *out, struct arena *arena,
                    const struct row_run *run, const struct buf *notices);

/* The condition of a statement with the rows that its inner selects found, for
 * each of them an answer; NULL if there are none in its condition. */
const char *row_notes_freeze(struct arena *arena, const struct row_statement *s,
                             const struct result_rows *found);

static inline bool
row_note_is_change(const struct row_note *n)
{
    return n->kind == ROW_NOTE_INSERT || n->kind == ROW_NOTE_UPDATE ||
           n->kind == ROW_NOTE_DELETE;
}

/* Note which row a check refused when a statement failed: one that an insert
 * was about to add, or the one that a delete had removed.  False if it is not
 * known which one, or which kind of check it was. */
bool row_notes_failed(row_note_vec *out, struct arena *arena,
                      const struct row_run *run, const struct buf *notices,
                      bool is_unique);

/* Note that a row was in the way of the one that an insert was about to add
 * when it failed, unless it had added that row itself, and that the rows which
 * it had added before, and which are undone, were not there.  False if no
 * notice tells of a row. */
bool row_notes_refused(row_note_vec *out, struct arena *arena,
                       const struct row_run *run, const struct buf *notices);

#endif
