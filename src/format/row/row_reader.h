/* row_reader.h -- rows that are being read, in any notation.
 *
 * What a recording says about rows goes into a log, and from there into the
 * builder when all of it is known.  A log keeps names of rows, versions and
 * conditions as JSON text; the notations differ in how they write them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_ROW_ROW_READER_H
#define FORMAT_ROW_ROW_READER_H

#include "format/scan/scan.h"
#include "history/row/row_log.h"

struct row_reader {
    struct scan *s;
    struct builder *b;
    struct row_log *log; // from the first row on
    txn_id txn;          // the last transaction with an operation on a row
    uint32_t marks;      // of operations from here on (history.h, OP_MARKS)
};

void row_reader_free(struct row_reader *r);

/* The log, which exists from here on. */
struct row_log *row_reader_log(struct row_reader *r);

/* The row of a table whose key has this JSON text. */
row_id row_reader_row(struct row_reader *r, uint32_t table, const char *key,
                      size_t n);

/* End a content whose values begin at 'at'.  If they are of a version of 'row'
 * (which is ID_NONE where they were read), they are of all columns. */
bool row_reader_end_content(struct row_reader *r, uint32_t content, row_id row,
                            const char *at);

/* Add an operation on a row; it makes all later ones of its transaction wait.
 */
void row_reader_add(struct row_reader *r, struct row_entry entry);

/* The condition of this text or, if 'is_named', of this name.  A mistake in the
 * text is reported where it stands, if the text is a part of the input, or at
 * 'at'. */
bool row_reader_condition(struct row_reader *r, struct span text, bool is_named,
                          const char *at, bool is_input, uint32_t *out);

/* Whether an operation of t on a register or a list has to wait, because t has
 * operations on rows, and then note it.  A read of a list has n items. */
static inline bool
row_reader_waits(const struct row_reader *r, txn_id t)
{
    return r->log && r->txn == t;
}
void row_reader_note(struct row_reader *r, txn_id t, struct row_other op,
                     const struct atom *items, size_t n, const char *at);

/* Pass everything on to the builder, when all of the input is read. */
bool row_reader_end(struct row_reader *r);

#endif
