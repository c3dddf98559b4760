/* record_rows.h -- rows in a record: their values, and conditions on them.
 *
 * All rows are of one table with two columns: v, which is NULL, 1, 2 or 3, and
 * w, which is 0 or 1.  The values of a row are a number from 1 to 8, and 0
 * stands for no row.  Which values satisfy a condition is written down in a
 * table here, by hand; nothing evaluates the text of a condition.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MODEL_RECORD_ROWS_H
#define MODEL_RECORD_ROWS_H

#include "record.h"

enum { ROWS_VALUES = 9, ROWS_CONDITIONS = 12 };

/* The values of a row that satisfy a condition, as bits. */
uint64_t record_rows_matches(uint32_t condition);

/* The values that a read of one row may have seen, as bits. */
uint64_t record_rows_fit(enum record_question asks, int64_t value);

/* An item of a query: a row, its values, and what is shown of these. */
static inline int64_t
record_rows_item(uint32_t key, int64_t value, enum record_question shows)
{
    return (int64_t)key * 64 + (int64_t)shows * 16 + value;
}

static inline uint32_t
record_rows_key(int64_t item)
{
    return (uint32_t)(item / 64);
}

static inline int64_t
record_rows_value(int64_t item)
{
    return item % 16;
}

/* What the query shows of the values of an item.  A recording may not show only
 * some columns of a row of which versions fit these and none of them matches:
 * then it shows all. */
enum record_question record_rows_shows(const struct record *r,
                                       const struct record_op *query,
                                       int64_t item);

/* The write that the j-th operation of t, a write of a row, names as the one
 * before: a number of record.ops, PREV_OF_INITIAL, or ID_NONE where it names
 * none.  Names that a recording may not have count as none: of a write that is
 * not there, of a delete, of the own transaction but for its write of the row
 * right before, and then of any other. */
#define PREV_OF_INITIAL (UINT32_MAX - 1)
uint32_t record_rows_prev(const struct record *r, const struct record_txn *t,
                          uint32_t j);

/* The rows in the order in which the recording first names them: those that
 * there are in the beginning, then by transaction.  A row that is not named
 * is not known.  Returns how many there are. */
uint32_t record_rows_order(const struct record *r, uint32_t *order);

/* Append the record in the format jsonl. */
void record_rows_show(const struct record *r, struct buf *out);

/* The history that the engines see, read from that text.  It is written,
 * and if reading that gives another history, the program ends. */
void record_rows_build(const struct record *r, struct history *h);

#endif
