/* horizon.h -- reachability around a point that moves up a topological order.
 *
 * A sweep passes the points in topological order.  For each of the last 'width'
 * points it keeps a row of bits: which of the 'width' points before it reach
 * it.  That is all the memory the rows take, whatever the number of points and
 * chains, and it stays in the cache.
 *
 * Points that are farther apart are joined by landmarks: points at about equal
 * distances, each of which reaches the next.  What reaches a landmark reaches
 * whatever a later landmark reaches.
 *
 *   (H1) "reaches" is always true;
 *   (H2) "does not reach" is true for points within the width, of the edges
 *        that were there when the later one was passed.
 *
 * A point that reaches no landmark within the width is not known to reach
 * anything beyond it.
 *
 * Points are named by their place in the order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GRAPH_HORIZON_H
#define GRAPH_HORIZON_H

#include "graph/chains.h"

struct horizon {
    const struct chains *g; // borrowed, as is
    const uint32_t *rank;   // by point: its place
    uint32_t width;         // a power of two
    uint32_t words;         // of a row
    uint32_t n;             // points passed
    uint64_t *rows;         // by place modulo width; so are the bits of a row
    uint64_t *row;          // of the last point passed
    uint32_t *onward;       // by place: the first landmark that it reaches
    uint32_t *landed;       // by place: the last landmark that reaches it
    u32_vec landmarks;      // their places
    u32_vec linked;         // by landmark: the first one that reaches it
    uint64_t steps;         // of a budget: eight words of a row are one
};

#define LANDMARK_NONE UINT32_MAX

/* The width becomes a power of two, and no more than the graph needs. */
void horizon_init(struct horizon *h, const struct chains *g, uint32_t width);
void horizon_free(struct horizon *h);

/* Begin a sweep in the topological order that 'rank' is the inverse of. */
void horizon_begin(struct horizon *h, const uint32_t *rank);

/* Pass p, the next point.  Edges that were added since the sweep began count
 * where they go up the order. */
void horizon_pass(struct horizon *h, uint32_t p);

/* Take in an edge from the point at place i to the last one passed. */
void horizon_add(struct horizon *h, uint32_t i);

/* Assert (H1) for the last point passed. */
void horizon_check(const struct horizon *h);

/* Whether the rows decide if i reaches j. */
static inline bool
horizon_is_near(const struct horizon *h, uint32_t i, uint32_t j)
{
    assert(i < j && j < h->n);
    return j - i < h->width && h->n - j <= h->width;
}

static inline bool
horizon_has_bit(const struct horizon *h, const uint64_t *row, uint32_t i)
{
    const uint32_t bit = i & (h->width - 1);
    return row[bit / 64] >> bit % 64 & 1;
}

static inline bool
horizon_reach_far(const struct horizon *h, uint32_t i, uint32_t j)
{
    const uint32_t from = h->onward[i], to = h->landed[j];
    return from != LANDMARK_NONE && to != LANDMARK_NONE && from <= to &&
           h->linked.at[to] <= from;
}

/* Whether the point at place i is known to reach the one at j.
 *
 *   require  both were passed, i first */
static inline bool
horizon_reach(const struct horizon *h, uint32_t i, uint32_t j)
{
    if (!horizon_is_near(h, i, j))
        return horizon_reach_far(h, i, j);
    const uint32_t at = j & (h->width - 1);
    return horizon_has_bit(h, h->rows + (size_t)at * h->words, i);
}

/* The same for the last point passed. */
static inline bool
horizon_reach_last(const struct horizon *h, uint32_t i)
{
    assert(i + 1 < h->n);
    return h->n - i <= h->width ? horizon_has_bit(h, h->row, i)
                                : horizon_reach_far(h, i, h->n - 1);
}

#endif
