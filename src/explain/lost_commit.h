/* lost_commit.h -- commits that a database acknowledged and then forgot.
 *
 * A transaction that misses a write may have been too early, may have read from
 * a replica, or the write is gone, as after a crash.  It is gone if, from some
 * moment after its commit was acknowledged, no transaction that began later saw
 * it, and the writer's own session and another one saw the key without it: the
 * session on a new connection, as the meta data of its transactions say, or
 * without such data a state as before the write.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_LOST_COMMIT_H
#define EXPLAIN_LOST_COMMIT_H

#include "history/history.h"

/* Whether what 'writer' wrote to the key of 'read' is gone since 'reader'
 * began, whose read that is and which missed it.  Never so without times. */
bool lost_commit_is_gone(const struct history *h, txn_id writer, txn_id reader,
                         op_id read);

/* Of two reads of a list that contradict each other, the transaction whose
 * append the one shows and the other, which began later, lacks because it is
 * gone; TXN_NONE if there is none. */
txn_id lost_commit_of_lists(const struct history *h, txn_id a, op_id a_read,
                            txn_id b, op_id b_read);

#endif
