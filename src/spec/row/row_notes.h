/* row_notes.h -- what the statements of a session did with rows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_NOTES_H
#define SPEC_ROW_ROW_NOTES_H

#include "spec/row/row_statement.h"

enum row_note_kind {
    ROW_NOTE_QUERY,   // a condition; the reads after it are what it found
    ROW_NOTE_READ,    // of 'before'
    ROW_NOTE_INSERT,  // of 'after'
    ROW_NOTE_UPDATE,  // of 'before' to 'after'
    ROW_NOTE_DELETE,  // of 'before'
    ROW_NOTE_PROPOSE, // an insert was about to add 'after'
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
    struct row_statement *by; // NULL: something deferred, by a commit
    size_t found;             // QUERY: how many reads follow
    bool is_undone; // its transaction went back to a savepoint before it
    bool is_same;   // UPDATE: the database kept the version, because nothing in
                    // it changed; 'after' has a name that no row will have
};

typedef VEC(struct row_note) row_note_vec;

/* Note the rows that a select returned.  False if the answer has another
 * shape. */
bool row_notes_select(row_note_vec *out, struct arena *arena,
                      struct row_statement *s, uint32_t statement,
                      const struct result_rows *rows);

/* Note what triggers told during a statement, which may be NULL, and what it
 * follows that the statement read.  False if a notice has another shape. */
bool row_notes_told(row_note_vec *out, struct arena *arena,
                    struct row_statement *s, uint32_t statement,
                    const struct buf *notices);

/* Note that a row was in the way of the one that an insert was about to add
 * when it failed.  If the statement had already changed rows, that may have
 * been one of them, so it is left out.  False if no notice tells of a row. */
bool row_notes_refused(row_note_vec *out, struct arena *arena,
                       struct row_statement *s, uint32_t statement,
                       const struct buf *notices);

#endif
