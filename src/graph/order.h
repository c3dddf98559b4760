/* order.h -- a topological order that survives the addition of edges.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GRAPH_ORDER_H
#define GRAPH_ORDER_H

#include "graph/chains.h"

/* A point whose rank changed, and the rank that it had before. */
struct moved_point {
    uint32_t point, rank;
};

struct order {
    struct chains *g;              // borrowed
    uint32_t *rank;                // by point
    uint32_t *at;                  // by rank: the point
    VEC(struct moved_point) moved; // each once, since the owner cleared it
    uint8_t *is_moved;

    // Scratch: points visited from either end, and how they were reached.
    uint32_t *stamp, epoch;
    uint32_t *came; // by point: the one it was visited from
    u32_vec forward, backward, ranks;
    uint64_t changes; // 1 + how often ranks changed
    uint64_t visits;  // counted for statistics
};

/* Begin with the order at[0 .. n), which must be topological for g. */
void order_init(struct order *o, struct chains *g, const uint32_t *at);
void order_free(struct order *o);

/* Add the edge u -> v to the graph and move points so that the order is
 * topological again.
 *
 * Returns false, adds nothing and appends to 'path' a shortest path from v to
 * u, if there is one.
 *
 *   time   O(1) where u is before v already, else about the size of the part
 *          of the graph between the two */
bool order_add(struct order *o, uint32_t u, uint32_t v, hop_vec *path);

void order_clear_moved(struct order *o);

/* Assert that the order is topological and ranks are a permutation. */
void order_check(const struct order *o);

#endif
