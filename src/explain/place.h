/* place.h -- where in an application a transaction and its statements are: in a
 * script, at an endpoint.
 *
 * Recorders put it into the metadata of a transaction:
 *
 *     "script"    the name of a file
 *     "lines"     the line of each statement in this file
 *     "sql"       the text of each statement
 *
 * Without a script it is the endpoint (history/endpoint.h).  Operations have
 * the number of their statement, from 1 on (op_statement).
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_PLACE_H
#define EXPLAIN_PLACE_H

#include "history/history.h"

/* Append the name of the script or of the endpoint; false if there is none. */
bool place_of_txn(const struct history *h, txn_id t, struct buf *out);

/* The line of the n-th statement, or 0. */
uint64_t place_line(const struct history *h, txn_id t, uint32_t n);

/* Append the text of the n-th statement; false if there is none. */
bool place_statement(const struct history *h, txn_id t, uint32_t n,
                     struct buf *out);

#endif
