/* builder_internal.h -- the fields of a builder, for builder.c, builder_bulk.c
 * and builder_finish.c.
 *
 * Operations are appended as they come.  A run is a sequence of them that
 * belong to one transaction.  Nearly always a transaction is one run, and then
 * no operation has to move.  A history whose transactions interleave in the
 * input is sorted by transaction once, at the end.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_BUILDER_BUILDER_INTERNAL_H
#define HISTORY_BUILDER_BUILDER_INTERNAL_H

#include "base/container/intmap.h"
#include "history/builder/builder.h"
#include "history/list/list_order.h"
#include "history/resolve.h"
#include "history/values.h"

enum key_use { USE_UNKNOWN, USE_REGISTER, USE_LIST };

/* The operations from 'begin' to the next run's begin belong to txn. */
struct op_run {
    txn_id txn;
    op_id begin;
};

enum { TOGETHER = 64 }; // operations of a batch

struct builder {
    struct strings strings;
    struct atom initial;
    bool is_cut, is_recording;
    uint64_t n_skipped;
    struct buf notes;

    struct intmap session_index[ATOM_TAGS];
    VEC(struct atom) session_names;

    u32_vec txn_session;
    VEC(uint8_t) txn_status;
    struct atoms txn_names;
    VEC(int64_t) began, ended;
    VEC(struct stamp) start_ts, commit_ts;
    u32_vec meta, partial;
    bool keeps_places;
    place_vec places;

    VEC(struct op_run) runs;
    u32_vec op_key, op_value;
    u32_vec op_marks; // as far as operations have marks

    struct intmap key_index[ATOM_TAGS];
    struct atoms key_names;

    struct values values;

    // Until a value is written twice or a list comes, the writer of a value is
    // noted with it, and 'waiting' has the reads that came before.
    bool writes_again;
    struct waiting_reads waiting;
    unsigned threads;            // for builder_finish
    struct builder_ahead *ahead; // NULL: no other thread looks

    struct raw_op queue[TOGETHER]; // operations of the next batch
    size_t n_queue;

    bool has_lists;            // what follows is used from the first list on
    VEC(uint8_t) key_use;      // by key
    struct list_orders orders; // of the lists read so far
    VEC(struct list_read) list_reads;
    u32_vec list_items;
    VEC(struct list_author) authors; // that the caller has chosen
    bool keep_loading;

    VEC(struct row_key) key_rows; // by key, as far as keys are rows
    VEC(struct version_link) links;
    struct row_log *rows;
};

/* Whether n more operations fit; an error otherwise. */
bool builder_room(const struct builder *b, size_t n, struct err *err);

/* The id of a key, and of a value of a register. */
bool builder_intern_key(struct builder *b, struct atom name, key_id *key,
                        struct err *err);
value_id builder_intern_value(struct builder *b, key_id key, struct atom value);

/* Append an operation. */
static inline void
builder_add_op(struct builder *b, txn_id t, uint32_t flagged_key,
               value_id value)
{
    assert(t < b->txn_session.n && value < b->values.all.n);
    if (!b->runs.n || vec_top(&b->runs).txn != t)
        vec_push(&b->runs, ((struct op_run){t, (op_id)b->op_key.n}));
    vec_push(&b->op_key, flagged_key);
    vec_push(&b->op_value, value);
}

#endif
