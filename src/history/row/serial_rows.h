/* serial_rows.h -- a serializable history as registers whose reads each have
 * one writer for certain, for prediction.
 *
 * A serial order says which version every read saw, also of rows that a query
 * did not return, and which of several writers of a value.  In the result
 *   (1) every write has a value of its own, so values may repeat in h;
 *   (2) a row is a register.  Whether it exists, and whether it satisfies a
 *       condition, are registers of their own, which a transaction writes only
 *       if it changes the answer.  So no read depends on a write that changes
 *       nothing for it;
 *   (3) initial values are VALUE_INIT: nothing can be read from before them;
 *   (4) reads of a transaction's own writes, aborted transactions and
 *       intermediate writes are left out;
 *   (5) with_locks: operations keep their statements and locks.  A transaction
 *       that writes a row reads first whether it is there, at its first write,
 *       and so does a constraint check that looks at a row.  These reads and
 *       all others of checks are OP_FIXED.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_ROW_SERIAL_ROWS_H
#define HISTORY_ROW_SERIAL_ROWS_H

#include "history/history.h"

struct serial_rows {
    const txn_id *order; // of all transactions that count: a serial order
    size_t n;
    bool each_alone;          // each transaction is a session of its own
    bool with_checks;         // keep what constraint checks read
    const uint8_t *left_out;  // by transaction: not part of the result; or NULL
    const char *const *names; // by transaction of h, NULL: its own; or NULL
    bool with_locks;          // see (5)
    const uint8_t *marks;     // by operation of h, bits of op_mark; or NULL
};

/* Make *out of h.  Transactions of *out have the names of those of h, where h
 * has no names, those that history_show_txn shows.  (*from)[t] is the
 * transaction of h that is transaction t of *out; the caller frees it.  Fails
 * if the order does not explain what was read. */
bool serial_rows_make(const struct history *h, const struct serial_rows *how,
                      struct history *out, txn_id **from, struct err *err);

#endif
