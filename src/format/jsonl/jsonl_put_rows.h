/* jsonl_put_rows.h -- operations on rows, as lines of 'jsonl' have them.
 *
 * They are written from the log of the recording (history/row/row_log.h), not
 * from the registers that were made of it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JSONL_JSONL_PUT_ROWS_H
#define FORMAT_JSONL_JSONL_PUT_ROWS_H

#include "format/put.h"

/* The entries of the log, by transaction. */
struct jsonl_put_rows {
    uint32_t *first;   // by place in the input: its entries; n_txns + 1
    uint32_t *entries; // numbers in row_log.entries
};

/* For a history without rows, nothing. */
void jsonl_put_rows_init(struct jsonl_put_rows *r, const struct history *h);
void jsonl_put_rows_free(struct jsonl_put_rows *r);

/* The line with the rows of the beginning, where there are some. */
void jsonl_put_initial_rows(struct put *p);

/* All operations of the transaction that came i-th, as an array.
 *
 *   require  the history has a log of rows */
void jsonl_put_row_ops(const struct jsonl_put_rows *r, struct put *p, txn_id i);

#endif
