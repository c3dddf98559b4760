/* item_step.h -- run a step on rows, and record what it read and wrote.
 *
 * The rows are in the table assay_item (assay_key, g, v, prev_g, prev_v): the
 * key, the group, the version, and what an update replaced.  Every statement is
 * one whose reads are known from its answer:
 *
 *   - an insert read that there was no row;
 *   - an update or upsert read the version that it replaced, which it returns
 *     or which is read back in the same transaction;
 *   - a statement with a condition is a query, and a write of each row that it
 *     changed;
 *   - a statement that found no row read that there is none.
 *
 * The table is empty in the beginning.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_ITEMS_ITEM_STEP_H
#define COLLECT_ITEMS_ITEM_STEP_H

#include "collect/workload.h"
#include "format/jsonl/jsonl_record_rows.h"

#define ITEM_TABLE "item"

/* What a session keeps between the steps of a transaction; all-zero is the
 * beginning. */
struct item_state {
    struct result_rows rows;
    struct buf sql, where;
    struct jsonl_mark savepoint;
    size_t found;          // rows that the last query returned
    VEC(uint64_t) deleted; // keys of rows that the transaction deleted
};

void item_state_free(struct item_state *s);

/* Make the table; if there is to be a second index, with one on the groups as
 * well. */
bool item_load(struct database *db, struct err *err);

/* Run a step.  'is_autocommit': it is a transaction by itself. */
enum outcome item_step_run(struct connection *c,
                           const struct workload_step *step, bool is_autocommit,
                           struct item_state *s, struct jsonl_record *record);

/* Begin a transaction that only reads, if the database has such. */
enum outcome item_begin_read_only(struct connection *c);

#endif
