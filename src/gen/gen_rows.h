/* gen_rows.h -- a table whose rows a generated history reads and writes.
 *
 * The rows of the table "t" have a number as their key and two columns: g, the
 * group, and v, by which versions differ.  Queries ask for a group.  To the
 * simulation a version is one number, its content, and 0 is an absent row.
 * The last group is that of the rows of an injected anomaly.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GEN_GEN_ROWS_H
#define GEN_GEN_ROWS_H

#include "history/row/row_log.h"

struct gen_rows {
    struct row_log *log;
    uint64_t keys, groups;
    uint32_t table, column_g, column_v;
    u32_vec rows;       // by key: row_id + 1, or 0 where it has none yet
    u32_vec conditions; // by group: the same of row_log.conditions
};

/* A table with the even ones of these keys, in groups of which the last is
 * empty. */
void gen_rows_init(struct gen_rows *r, uint64_t keys, uint64_t groups);
void gen_rows_free(struct gen_rows *r);

static inline uint64_t
gen_rows_content(const struct gen_rows *r, uint64_t g, uint64_t v)
{
    assert(g < r->groups);
    return v * r->groups + g + 1;
}

static inline uint64_t
gen_rows_group(const struct gen_rows *r, uint64_t content)
{
    assert(content);
    return (content - 1) % r->groups;
}

/* What the row holds before the first transaction. */
uint64_t gen_rows_initial(const struct gen_rows *r, uint64_t key);

/* Record that t read or wrote a row. */
void gen_rows_read(struct gen_rows *r, txn_id t, uint64_t key,
                   uint64_t content);
void gen_rows_write(struct gen_rows *r, txn_id t, uint64_t key,
                    uint64_t content, bool is_insert);

/* Record a row that the next query returns; then the query, and how many. */
void gen_rows_return(struct gen_rows *r, txn_id t, uint64_t key,
                     uint64_t content);
void gen_rows_query(struct gen_rows *r, txn_id t, uint64_t group,
                    uint32_t returned);

/* Pass everything to the builder, and the log with it. */
bool gen_rows_end(struct gen_rows *r, struct builder *b, struct err *err);

#endif
