/* edges.h -- the edges of the commit order that a level infers.
 *
 * An inference is run in one of two ways.  First, with a sequence at hand, it
 * is enough to know whether some edge goes against it, and nothing is stored.
 * Only then, and only where one does, are the edges collected.
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
    VEC(struct edge) all;   // where 'store': but those by session order
    size_t listed;          // as many at the beginning are by lists
    VEC(struct edge) stale; // where 'store': those into INIT
};

/* 'from' comes before 'to' in every commit order, because of 'reader'. */
static inline void
edges_add(struct edges *e, const struct history *h, txn_id from, txn_id to,
          txn_id reader)
{
    assert(from != to);
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
