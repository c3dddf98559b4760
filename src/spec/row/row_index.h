/* row_index.h -- the versions of a table, by the values of its columns:
 * integers, or numbers of texts.
 *
 * Many conditions are "key = 7" with some more.  They can hold for versions
 * with that value only, and those are found without asking the database about
 * all others.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_INDEX_H
#define SPEC_ROW_ROW_INDEX_H

#include "spec/row/row_statement.h"

struct row_index_entry {
    int64_t value;
    uint32_t version;
};

typedef VEC(struct row_index_entry) row_index_column;

/* All-zero is empty. */
struct row_index {
    VEC(row_index_column) columns; // by number of the column
};

/* Add the value that a version has in a column; sort when all are there. */
void row_index_add(struct row_index *x, uint32_t column, int64_t value,
                   uint32_t version);
void row_index_sort(struct row_index *x);

/* The versions with all these values, in ascending order.
 *
 *   require  n > 0 */
void row_index_find(const struct row_index *x,
                    const struct row_equality *wanted, size_t n, u32_vec *out);

void row_index_free(struct row_index *x);

#endif
