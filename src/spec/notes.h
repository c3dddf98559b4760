/* notes.h -- what the transactions of a session read and wrote.
 *
 * A register is a column of a row, named by table, primary key and column.
 * While a row is absent, all its columns hold NOTES_NO_ROW.  The column of the
 * key thus shows whether the row exists.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_NOTES_H
#define SPEC_NOTES_H

#include "driver/driver.h"
#include "history/history.h"
#include "spec/row/row_notes.h"
#include "spec/sql/table.h"

#define NOTES_NO_ROW "(no row)"
#define NOTES_NULL "(null)"

enum note_kind {
    NOTE_READ,
    NOTE_WRITE,
    NOTE_SCAN, // of a whole table: it has no other rows
};

struct note {
    enum note_kind kind;
    const struct spec_table *table;
    const char *row; // its key, as the database shows it
    uint32_t column;
    const char *value;
    const char *const *rows; // the rows that a scan returned
    size_t n_rows;
};

struct noted_txn {
    enum txn_status status;
    double began, ended;
    VEC(struct note) notes;
    row_note_vec rows; // instead, if rows are recorded
    // With rows: a JSON object, and what is not recorded; or NULL and none.
    const char *meta;
    bool has_parts; // what its statements leave out is part of the history
    const char *const *partial;
    size_t partial_n;
};

/* All-zero is empty. */
struct notes {
    VEC(struct noted_txn) txns;
    bool is_open; // the last of them has not ended
    struct arena arena;
};

void notes_begin(struct notes *n);
void notes_end(struct notes *n, enum txn_status status);

/* Note an operation of the open transaction. */
void notes_read(struct notes *n, const struct spec_table *t, const char *row,
                size_t column, const char *value);
void notes_write(struct notes *n, const struct spec_table *t, const char *row,
                 size_t column, const char *value);
void notes_scan(struct notes *n, const struct spec_table *t,
                const struct result_rows *rows);

/* The value to note for a text or a cell.  Text that equals one of the two
 * words above gets a parenthesis in front. */
const char *notes_text_value(struct arena *arena, const char *text);
const char *notes_cell_value(struct arena *arena,
                             const struct result_rows *rows, size_t row,
                             size_t column);

void notes_free(struct notes *n);

/* Why there is no history of sessions that noted nothing. */
#define NOTES_EMPTY "none of its statements reads or writes a row"

#endif
