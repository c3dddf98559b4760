/* edges.h -- the edges of the commit order that a level infers.
 *
 * Inference runs in one of two ways.  The first run compares the edges with a
 * sequence and stores nothing.  Only where an edge goes against the sequence,
 * a second run collects them all.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_EDGES_H
#define WEAK_EDGES_H

#include "weak/topological_sort.h"

struct edge {
    txn_id from, to;
    txn_id reader; // whose reads force it; TXN_NONE where a list does
};

struct edges {
    const struct topological_order *sequence; // NULL: do not compare
    bool store;
    bool broken;            // an edge goes against the sequence, or into INIT
    VEC(struct edge) all;   // where 'store': those not implied by session order
    size_t listed;          // how many at the beginning come from lists
    VEC(struct edge) stale; // where 'store': those into INIT
};

/* 'from' comes before 'to' in every commit order, because of 'reader'. */
static inline void
edges_add(struct edges *e, const struct history *h, txn_id from, txn_id to,
          txn_id reader)
{
    assert(from != to && to != TXN_NONE);
    assert(from == TXN_INIT || from < h->n_txns);
    if (from == TXN_INIT)
        return;
    if (to == TXN_INIT) {
        e->broken = true;
        if (e->store)
            vec_push(&e->stale, ((struct edge){from, to, reader}));
        return;
    }
    if (e->sequence && e->sequence->position[from] > e->sequence->position[to])
        e->broken = true;
    if (e->store && (from > to || h->txn_session[from] != h->txn_session[to]))
        vec_push(&e->all, ((struct edge){from, to, reader}));
}

void edges_free(struct edges *e);

/* Append the edges of 'more' to those of e, and free it. */
void edges_join(struct edges *e, struct edges *more);

/* The stored edges by target. */
void edges_group(const struct edges *e, const struct history *h,
                 struct predecessors *out);
void predecessors_free(struct predecessors *p);

#endif
