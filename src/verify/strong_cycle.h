/* strong_cycle.h -- the clause that a cycle of a proof implies.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_STRONG_CYCLE_H
#define VERIFY_STRONG_CYCLE_H

#include "evidence/proof.h"
#include "verify/lists/verify_list_order.h"

struct strong_cycle {
    const struct history *h;
    enum level level;
    struct verify_list_order lists;
    struct proof *facts; // where literals are numbered
};

/* Check that n edges form a cycle that the level forbids, and append to
 * 'clause' the negations of the literals that they rest on. */
bool strong_cycle_check(struct strong_cycle *s, const struct proof_edge *edges,
                        size_t n, u32_vec *clause, struct err *err);

/* Append the negations of what it takes for 'read', of 'reader', to have read
 * from 'writer' and for 'other' to overwrite that.  False where 'writer' is no
 * candidate or 'other' does not write the key, or is one of the two. */
bool strong_cycle_add_overwrite(struct strong_cycle *s, txn_id reader,
                                op_id read, txn_id writer, txn_id other,
                                u32_vec *clause);

#endif
