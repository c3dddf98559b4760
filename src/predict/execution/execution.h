/* execution.h -- a predicted execution: what stays as it was observed, and the
 * transactions that read something else.
 *
 * A part of an execution is any set of its transactions, reads and writes; as a
 * separate history it satisfies every level that the whole satisfies.
 *
 *   (E1) the base is closed under session order and observed writers;
 *   (E2) a boundary transaction follows the base part of its session, and
 *        no transaction reads from it;
 *   (E3) writer[r] is the observed writer unless r is a read of a boundary
 *        transaction.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_EXECUTION_EXECUTION_H
#define PREDICT_EXECUTION_EXECUTION_H

#include "predict/execution/observed.h"

enum role { ROLE_OUT, ROLE_BASE, ROLE_BOUNDARY };

struct execution {
    const struct observed *o;
    bool is_strict;   // boundary transactions end with their last read
    uint8_t *role;    // by transaction: enum role
    uint32_t *reads;  // by transaction: how many of its reads took place
    uint32_t *writer; // by read

    // For a trial:
    uint32_t goes_on; // boundary transactions that are cut also make those of
                      // their later writes that are numbered below this
    bool by_rows;     // who writes a key also writes its row
};

void execution_init(struct execution *x, const struct observed *o,
                    bool is_strict);
void execution_free(struct execution *x);
void execution_copy(struct execution *to, const struct execution *from);

/* Nothing takes place. */
void execution_clear(struct execution *x);

/* Add t and all that happens before it to the base. */
void execution_add_base(struct execution *x, uint32_t t);

/* Make t a boundary transaction of so many reads, as observed so far. */
void execution_add_boundary(struct execution *x, uint32_t t, uint32_t reads);

/* Whether a write takes place: its transaction does, and was not cut before
 * it. */
bool execution_has_write(const struct execution *x, uint32_t write);
bool execution_has_read(const struct execution *x, uint32_t read);

uint32_t execution_changed(const struct execution *x);
uint32_t execution_boundaries(const struct execution *x);
uint32_t execution_txns(const struct execution *x);

/* Which events of an execution to look at, by their numbers; NULL = all. */
struct excerpt {
    uint8_t *txn, *read, *write;
};

void excerpt_init(struct excerpt *p, const struct observed *o);
void excerpt_free(struct excerpt *p);

/* Where the transactions and operations of a history made from an execution
 * come from: at[i] is a transaction; a read r as 2r or a write w as 2w + 1. */
struct origin {
    u32_vec txns, ops;
};

/* Make a history of the events that take place and are in 'part'; its values
 * are numbers that stand for writers.  Transactions of the history are in the
 * order of 'origin', and so are operations. */
void execution_history(const struct execution *x, const struct excerpt *part,
                       struct history *out, struct origin *origin);

#endif
