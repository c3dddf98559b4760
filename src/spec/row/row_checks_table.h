/* row_checks_table.h -- what unique indexes and foreign keys compare, where
 * versions are kept as lists of literals (row_dialect.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ROW_ROW_CHECKS_TABLE_H
#define SPEC_ROW_ROW_CHECKS_TABLE_H

#include "spec/row/row_operations.h"

/* "foreign key: p = 7": what a version has in the columns 'mine', for rows that
 * are compared by the columns 'theirs'; NULL if one of them is NULL. */
const char *row_checks_table_text(struct row_versions *v, uint32_t version,
                                  const char *kind, const text_vec *mine,
                                  const text_vec *theirs);

/* The same as a condition. */
const char *row_checks_table_condition(struct row_versions *v, uint32_t version,
                                       const text_vec *mine,
                                       const text_vec *theirs);

/* The part of a version's values that has these columns, as JSON.
 *
 *   require  row_versions_ask has answered */
const char *row_checks_table_values(struct row_versions *v, uint32_t version,
                                    const text_vec *columns);

#endif
