/* chains.h -- a graph of chains: points in a row, and edges between them.
 *
 * Points of one chain are numbered consecutively, so the edge from a point to
 * the next of its chain is not stored.  All other edges are, in the order in
 * which they were added; the last one can be taken away again.
 *
 * Once most edges are there, chains_freeze lays out the ends of the edges so
 * far in two plain arrays; walking over all neighbours then does not jump from
 * edge to edge in memory.
 *
 *   (C1) edges.at[i] is in the list of out[from] and in the list of in[to], and
 *        each list is in descending order of i.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GRAPH_CHAINS_H
#define GRAPH_CHAINS_H

#include "base/container/vec.h"
#include "base/limits/capacity.h"

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

    uint32_t frozen;              // edges below this are laid out too:
    uint32_t *out_first, *out_to; // those out of p: out_first[p] .. [p + 1]
    uint32_t *in_first, *in_from;
};

/* One step of a path: along an edge, or, with EDGE_NONE, down a chain. */
struct hop {
    uint32_t from, to, edge;
};
typedef VEC(struct hop) hop_vec;

void chains_init(struct chains *g, const uint32_t *lengths, uint32_t n_chains);
void chains_free(struct chains *g);

/* Make 'to' a copy of 'from', with nothing laid out. */
void chains_copy(struct chains *to, const struct chains *from);

uint32_t chains_add(struct chains *g, uint32_t from, uint32_t to);
void chains_pop(struct chains *g);

/* Lay out the edges so far, which then cannot be taken away any more.  It can
 * be done again when there are more. */
void chains_freeze(struct chains *g);

/* Walk over the neighbours along edges (not along the chain):
 *
 *     struct chain_walk w = chains_out(g, p);
 *     for (uint32_t to; chains_next_out(g, &w, &to);) */
struct chain_walk {
    const uint32_t *at, *end;
    uint32_t edge;
};

static inline struct chain_walk
chains_out(const struct chains *g, uint32_t p)
{
    assert(p < g->n);
    struct chain_walk w = {NULL, NULL, g->out[p]};
    if (g->frozen) {
        w.at = g->out_to + g->out_first[p];
        w.end = g->out_to + g->out_first[p + 1];
    }
    return w;
}

static inline bool
chains_next_out(const struct chains *g, struct chain_walk *w, uint32_t *to)
{
    if (w->at != w->end) {
        *to = *w->at++;
        return true;
    }
    if (w->edge == EDGE_NONE || w->edge < g->frozen)
        return false;
    *to = g->edges.at[w->edge].to;
    w->edge = g->edges.at[w->edge].next_out;
    return true;
}

static inline struct chain_walk
chains_in(const struct chains *g, uint32_t p)
{
    assert(p < g->n);
    struct chain_walk w = {NULL, NULL, g->in[p]};
    if (g->frozen) {
        w.at = g->in_from + g->in_first[p];
        w.end = g->in_from + g->in_first[p + 1];
    }
    return w;
}

static inline bool
chains_next_in(const struct chains *g, struct chain_walk *w, uint32_t *from)
{
    if (w->at != w->end) {
        *from = *w->at++;
        return true;
    }
    if (w->edge == EDGE_NONE || w->edge < g->frozen)
        return false;
    *from = g->edges.at[w->edge].from;
    w->edge = g->edges.at[w->edge].next_in;
    return true;
}

static inline bool
chains_has_next(const struct chains *g, uint32_t p)
{
    assert(p < g->n);
    return p + 1 < g->n && g->seat[p + 1].place != 0;
}

static inline bool
chains_has_previous(const struct chains *g, uint32_t p)
{
    assert(p < g->n);
    return g->seat[p].place != 0;
}

/* Assert that lists, chains and frozen arrays agree with the edges. */
void chains_check(const struct chains *g);

/* Sort all points topologically into order[0 .. n), first in, first out.
 *
 * Returns false and appends a cycle to 'cycle', each hop beginning where the
 * one before ends, if there is one.
 *
 *   time   O(n + edges) */
bool chains_sort(const struct chains *g, uint32_t *order, hop_vec *cycle);

#endif
