/* writer_assignment.h -- a history together with who wrote what each read saw.
 *
 * With unique values the history says who.  With duplicate values a writer has
 * been chosen for each read that has several candidates, and that determines
 * which of the transactions that may count do.  Everything in this layer below
 * writer_choice.c works on an assignment, whichever of the two it is.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_WRITER_ASSIGNMENT_H
#define WEAK_WRITER_ASSIGNMENT_H

#include "history/history.h"

struct writer_assignment {
    const struct history *h;
    const txn_id *chosen;  // by op; NULL where no read has several candidates
    const uint8_t *counts; // by transaction: not 0 if it counts
};

/* The writer that the external read op reads from: a transaction or TXN_INIT.
 * For other operations the result means nothing. */
static inline txn_id
assigned_writer(const struct writer_assignment *r, op_id op)
{
    assert(op < r->h->n_ops);
    const value_id v = r->h->op_value[op];
    const txn_id w = history_writer(r->h, v);
    return !(w & WRITER_MANY) || w == TXN_INIT ? w : r->chosen[op];
}

/* The counting transaction before t in its session, or TXN_NONE. */
static inline txn_id
assignment_session_before(const struct writer_assignment *r, txn_id t)
{
    assert(t < r->h->n_txns);
    const txn_id first = r->h->session_first[r->h->txn_session[t]];
    while (t > first)
        if (r->counts[--t])
            return t;
    return TXN_NONE;
}

#endif
