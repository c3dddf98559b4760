/* jsonl_record_rows.h -- the operations on rows of a transaction that is being
 * recorded.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JSONL_JSONL_RECORD_ROWS_H
#define FORMAT_JSONL_JSONL_RECORD_ROWS_H

#include "format/jsonl/jsonl_record.h"

/* A column and its value. */
struct jsonl_cell {
    const char *column;
    int64_t value;
};

/* A row as it is recorded: its table, its key, and its values.  A row without
 * values is absent. */
struct jsonl_row {
    const char *table;
    uint64_t key;
    const struct jsonl_cell *cells;
    size_t n;
};

/* A read: the row has these values, or is absent. */
void jsonl_record_row_read(struct jsonl_record *t, const struct jsonl_row *row);

/* An insert, an update, or a delete, which leaves the row absent. */
void jsonl_record_row_insert(struct jsonl_record *t,
                             const struct jsonl_row *row);
void jsonl_record_row_update(struct jsonl_record *t,
                             const struct jsonl_row *row);
void jsonl_record_row_delete(struct jsonl_record *t,
                             const struct jsonl_row *row);

/* A query: begin it with its condition, add all rows that it returned, and end
 * it.  'is_unordered': it may have waited for rows that it did not return. */
void jsonl_record_query(struct jsonl_record *t, const char *table,
                        const char *where, bool is_unordered);
void jsonl_record_query_row(struct jsonl_record *t,
                            const struct jsonl_row *row);
void jsonl_record_query_end(struct jsonl_record *t);

/* How far a transaction is recorded, and to forget what was recorded since:
 * for what 'rollback to savepoint' has undone. */
struct jsonl_mark {
    size_t bytes, ops, writes;
};

struct jsonl_mark jsonl_record_mark(const struct jsonl_record *t);
void jsonl_record_rewind(struct jsonl_record *t, struct jsonl_mark mark);

#endif
