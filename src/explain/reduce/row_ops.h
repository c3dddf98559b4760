/* row_ops.h -- which operation of a history is of which entry of its log.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_REDUCE_ROW_OPS_H
#define EXPLAIN_REDUCE_ROW_OPS_H

#include "history/row/row_log.h"

struct row_ops {
    row_id *row;        // by key: its row, or ID_NONE
    uint32_t *entry;    // by operation: the write, the read or the query; or
                        // ID_NONE, it is not of a row
    uint32_t *returned; // by operation: the row that a query returned, or
                        // ID_NONE
};

/* h has a log of rows. */
void row_ops_init(struct row_ops *r, const struct history *h);
void row_ops_free(struct row_ops *r);

#endif
