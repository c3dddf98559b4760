/* precedence.h -- the order of two transactions that is certain by itself.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DEPEND_PRECEDENCE_H
#define DEPEND_PRECEDENCE_H

#include "history/history.h"

/* Whether a comes before b in their session. */
static inline bool
precedence_by_session(const struct history *h, txn_id a, txn_id b)
{
    assert(a < h->n_txns && b < h->n_txns);
    return a < b && h->txn_session[a] == h->txn_session[b];
}

/* Whether a ended before b began.  A transaction whose end the client never
 * learnt may still be going on, and an unknown time says nothing. */
static inline bool
precedence_by_time(const struct history *h, txn_id a, txn_id b)
{
    assert(a < h->n_txns && b < h->n_txns);
    return h->txn_began && h->txn_status[a] == TXN_COMMITTED &&
           h->txn_ended[a] < h->txn_began[b];
}

#endif
