/* jepsen_ops.h -- from entries of a Jepsen log to reads and writes.
 *
 * jepsen_mops.c knows micro-operations, jepsen_rows.c the operations of the
 * other workloads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef FORMAT_JEPSEN_JEPSEN_OPS_H
#define FORMAT_JEPSEN_JEPSEN_OPS_H

#include "format/jepsen/jepsen_workload.h"
#include "format/row/row_reader.h"

struct jepsen_ops {
    struct scan *s;
    struct builder *b;
    struct jepsen_workload workload;
    struct row_reader rows;    // of micro-operations
    const char *symbol;        // the first key that is a symbol
    VEC(struct atom) elements; // of the current list
    struct buf text;
};

/* Check what an entry is going to do, and hash what it writes.  An entry and
 * its completion have the same hash. */
bool jepsen_mops_hash(struct jepsen_ops *o, const struct jepsen_entry *e,
                      uint64_t *hash);
bool jepsen_rows_hash(struct jepsen_ops *o, const struct jepsen_entry *e,
                      uint64_t *hash);

/* The same for the first n micro-operations of an entry; and their number. */
bool jepsen_mops_hash_first(struct jepsen_ops *o, const struct jepsen_entry *e,
                            uint32_t n, uint64_t *hash);
uint32_t jepsen_mops_count(const struct jepsen_entry *e);

/* Add the operations of an entry to t, which completed with 'type'; all, or
 * from the n-th micro-operation on. */
bool jepsen_mops_add(struct jepsen_ops *o, const struct jepsen_entry *e,
                     enum jepsen_entry_type type, txn_id t);
bool jepsen_mops_add_from(struct jepsen_ops *o, const struct jepsen_entry *e,
                          uint32_t n, enum jepsen_entry_type type, txn_id t);
bool jepsen_rows_add(struct jepsen_ops *o, const struct jepsen_entry *e,
                     enum jepsen_entry_type type, txn_id t);

/* Take the entry with the rows that there are in the beginning. */
bool jepsen_mops_initial(struct jepsen_ops *o, const struct jepsen_entry *e);

/* Pass the operations on rows to the builder, when the log has ended. */
bool jepsen_mops_end(struct jepsen_ops *o);

/* Whether an entry of a register writes the initial value. */
bool jepsen_rows_resets(const struct jepsen_ops *o,
                        const struct jepsen_entry *e);

/* Whether an ok entry itself says what it did; otherwise its invocation does.
 */
bool jepsen_rows_has_value(const struct jepsen_entry *e);

#endif
