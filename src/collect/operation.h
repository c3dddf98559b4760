/* operation.h -- run a step of a transaction and record it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_OPERATION_H
#define COLLECT_OPERATION_H

#include "collect/findings.h"
#include "collect/items/item_step.h"
#include "collect/workload.h"

/* What a session keeps for its operations; all-zero is the beginning. */
struct operation_state {
    int_vec elements;
    struct item_state items;
    struct run_findings findings; // of the transaction that runs
};

void operation_state_free(struct operation_state *s);

/* How the next operation finds its row: one of a set of enum driver_access;
 * 0: by the key. */
enum driver_access operation_draw_access(unsigned set, struct random *random);

/* Registers and lists are made before the run and never deleted: one without a
 * row is a finding. */
enum outcome operation_run(struct connection *c,
                           const struct workload_step *step, bool is_autocommit,
                           struct operation_state *s,
                           struct jsonl_record *record);

#endif
