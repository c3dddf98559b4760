/* chains.h -- a graph of chains: points in a row, and edges between them.
 *
 * Points of one chain are numbered consecutively, so the edge from a point to
 * the next of its chain is not stored.  All other edges are, in the order in
 * which they were added; the last one can be taken away again.
 *
 *   (C1) edges.at[i] is in the list of out[from] and in the list of in[to], and
 *        each list is in descending order of i.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GRAPH_CHAINS_H
#define GRAPH_CHAINS_H

#include "base/vec.h"

#include <stdbool.h>

#define EDGE_NONE UINT32_MAX

struct seat {
    uint32_t chain, place; // place: from 0 within the chain
};

struct chain_edge {
    uint32_t from, to;
    uint32_t next_out, next_in; // the edge before in either list
};

struct chains {
    uint32_t n, n_chains;
    struct seat *seat;  // by point
    uint32_t *first;    // by chain: its first point; n_chains + 1 of them
    uint32_t *out, *in; // by point: its latest edge, or EDGE_NONE
    VEC(struct chain_edge) edges;
};

/* One step of a path: along an edge, or, with EDGE_NONE, down a chain. */
struct hop {
    uint32_t from, to, edge;
};
typedef VEC(struct hop) hop_vec;

void chains_init(struct chains *g, const uint32_t *lengths, uint32_t n_chains);
void chains_free(struct chains *g);

uint32_t chains_add(struct chains *g, uint32_t from, uint32_t to);
void chains_pop(struct chains *g);

static inline bool
chains_has_next(const struct chains *g, uint32_t p)
{
    return p + 1 < g->n && g->seat[p + 1].place != 0;
}

static inline bool
chains_has_previous(const struct chains *g, uint32_t p)
{
    return g->seat[p].place != 0;
}

/* Sort all points topologically into order[0 .. n), first in, first out.
 *
 * Returns false and appends a cycle to 'cycle', each hop beginning where the
 * one before ends, if there is one.
 *
 *   time   O(n + edges) */
bool chains_sort(const struct chains *g, uint32_t *order, hop_vec *cycle);

#endif
