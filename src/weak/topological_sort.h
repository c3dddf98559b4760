/* topological_sort.h -- orders of transactions that respect an assignment.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_TOPOLOGICAL_SORT_H
#define WEAK_TOPOLOGICAL_SORT_H

#include "weak/writer_assignment.h"

/* An order of all counting transactions.  Positions count from 1; INIT has
 * position 0, and so have transactions that are not in the order. */
struct topological_order {
    txn_id *at;
    size_t n;
    uint32_t *position; // by transaction
};

static inline uint32_t
topological_order_position(const struct topological_order *s, txn_id t)
{
    assert(t != TXN_NONE);
    return t == TXN_INIT ? 0 : s->position[t];
}

void topological_order_free(struct topological_order *s);

/* Edges 'from -> t' by t: those of t are from[first[t] .. first[t + 1]). */
struct predecessors {
    uint32_t *first;
    txn_id *from;
};

/* Order the transactions that count, all of which are in 'roots', so that
 * session order, the assignment and the further edges 'more' (NULL for none)
 * are respected, staying close to the order in 'roots'.
 *
 * False where that is impossible, because the edges have a cycle; the sequence
 * then is partial, and only good for topological_order_free.
 *
 * A transaction is 'stale' when one of its reads is not from the writer of
 * that key which is the last before it in the sequence.  Stale transactions
 * are appended to 'stale' in order, where it is not NULL.  Without any, the
 * sequence explains the history at every level there is.
 *
 *   time     O(operations + edges)
 *   memory   two words a transaction for the result, one a key for scratch
 */
bool topological_sort_find(const struct writer_assignment *r,
                           const struct predecessors *more,
                           const u32_vec *roots, struct topological_order *out,
                           u32_vec *stale);

/* Assert that an order has every transaction of the assignment once, and
 * respects session order, the assignment and 'more'. */
void topological_order_check(const struct topological_order *s,
                             const struct writer_assignment *r,
                             const struct predecessors *more);

/* Append the transactions that count or may count in the order that the input
 * suggests: as they stand in it, or, where it lists one session after the
 * other, by their relative place in their sessions. */
void topological_sort_suggest(const struct history *h, u32_vec *roots);

#endif
