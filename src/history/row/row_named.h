/* row_named.h -- the rows with a version that satisfies a condition which has a
 * name only.
 *
 * Histories of SQL have a condition for each value that a statement was run
 * with, so each is looked up instead of compared with all versions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ROW_ROW_NAMED_H
#define HISTORY_ROW_ROW_NAMED_H

#include "history/row/row_log.h"

/* All-zero is ready to be listed. */
struct row_named {
    bool is_listed;
    u64_vec pairs;  // name << 32 | row, in ascending order
    row_id *silent; // by table: a row with a version that does not say which
                    // conditions hold, or ID_NONE
};

/* List the rows; 'versions' has the contents of row r from first[r] on. */
void row_named_list(struct row_named *n, const struct row_log *l,
                    const uint32_t *first, const u32_vec *versions);

/* Append the rows of a table that have a version which satisfies the condition
 * of that name, in ascending order. */
void row_named_find(const struct row_named *n, const struct row_log *l,
                    uint32_t table, uint32_t name, u32_vec *out);

void row_named_free(struct row_named *n);

#endif
