/* building.h -- what a builder holds; for builder.c and finish.c only.
 *
 * Operations are appended as they come, in runs that belong to one
 * transaction.  Nearly always a transaction is one run, and then its range of
 * operations is known without moving any; a history whose lines interleave is
 * sorted by transaction once, at the end.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_BUILDING_H
#define HISTORY_BUILDING_H

#include "base/intmap.h"
#include "history/builder.h"
#include "history/orders.h"
#include "history/values.h"

enum key_use { USE_UNKNOWN, USE_REGISTER, USE_LIST };

/* The operations from 'begin' to the next run's begin belong to txn. */
struct run {
    txn_id txn;
    op_id begin;
};

struct builder {
    struct strings strings;
    struct atom initial;

    struct intmap session_index[ATOM_TAGS];
    VEC(struct atom) session_names;

    u32_vec txn_session;
    VEC(uint8_t) txn_status;
    struct atoms txn_names;
    VEC(int64_t) began, ended;
    u32_vec meta;

    VEC(struct run) runs;
    u32_vec op_key, op_value;

    struct intmap key_index[ATOM_TAGS];
    struct atoms key_names;
    VEC(uint8_t) key_use;
    bool registers_only; // batches do not look at key_use: no lists then

    struct values values;

    struct orders orders; // of the lists read so far
    VEC(struct list_read) list_reads;
    u32_vec list_items;
};

#endif
