/* row_put.h -- operations on rows, for the writers of histories.
 *
 * They are written from the log of the recording (history/row/row_log.h), not
 * from the registers that were made of it.
 *
 * What a query says about the rows that it did not return is read in the order
 * in which a file first names them.  Writers differ in the order of
 * transactions, so a file names a row in the beginning if it would otherwise be
 * named too late.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_ROW_ROW_PUT_H
#define FORMAT_ROW_ROW_PUT_H

#include "format/put.h"
#include "history/row/row_log.h"

/* The entries of the log, by transaction. */
struct row_put {
    const struct history *h;
    uint32_t *first;   // by place in the input: its entries; n_txns + 1
    uint32_t *entries; // numbers in row_log.entries
    row_id listed;     // rows below are named in the beginning; perhaps 0
    struct buf json;   // what becomes EDN
};

/* Whether the rows of h can be written: parts of some histories have the
 * registers of rows, and no log of them. */
bool row_put_fits(const struct history *h, struct err *err);

/* For a history without rows, nothing.  'order' has the places in the input of
 * all transactions as they are written; NULL if in that order. */
void row_put_init(struct row_put *r, const struct history *h,
                  const txn_id *order);
void row_put_free(struct row_put *r);

/* --- operations one by one ------------------------------------------------*/

/* Either an operation on a register or a list, or an entry of the log. */
struct row_put_op {
    bool is_entry;
    op_id op;
    uint32_t entry; // a read, a write or a query
};

struct row_put_walk {
    const struct row_put *r;
    txn_id t;
    uint32_t before; // operations on registers and lists before the first row
    uint32_t at, end;
    op_id op;
};

/* The operations of the transaction that came i-th. */
void row_put_walk(const struct row_put *r, txn_id i, struct row_put_walk *w);
bool row_put_next(struct row_put_walk *w, struct row_put_op *out);

/* The rows that a query returned: the entries before its own. */
struct row_returned {
    const struct row_entry *at;
    uint32_t n;
};
struct row_returned row_put_returned(const struct row_log *l, uint32_t entry);

/* How a notation writes values: what is between them, and a text, which is put
 * into quotes where it is the word 'reserved', or always. */
struct row_put_values {
    const char *between;
    void (*text)(struct buf *out, struct string text, const char *reserved);
};

/* Append the values of a version, in braces. */
void row_put_values(const struct row_put_values *v, const struct row_log *l,
                    uint32_t content, struct buf *out);

/* Read JSON text of the log. */
void row_put_read(const char *text, size_t n, struct forms *out);

/* --- JSON and EDN ---------------------------------------------------------*/

/* Append the JSON text of a row, as [table,key]. */
void row_put_name(const struct row_log *l, row_id row, struct buf *out);

/* Who reads it: a line of 'jsonl', or an entry of a Jepsen log, in which reads
 * of rows have their own name; in an invocation they have no answer. */
enum row_put_for { ROW_PUT_LINE, ROW_PUT_INVOCATION, ROW_PUT_COMPLETION };

/* All operations of the transaction that came i-th, as an array or vector. */
void row_put_ops(struct row_put *r, struct put *p, txn_id i,
                 enum row_put_for reader);

/* The rows that are named in the beginning, as an array or vector. */
void row_put_initial(struct row_put *r, struct put *p);

#endif
