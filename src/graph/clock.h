/* clock.h -- reachability in a graph of chains: a clock per point.
 *
 * row(p)[c] is 1 + the place of the last point of chain c that reaches p, or 0;
 * every point reaches itself.  n * chains entries instead of n^2 bits, of 16
 * bits where every chain is short enough, else of 32.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GRAPH_CLOCK_H
#define GRAPH_CLOCK_H

#include "graph/chains.h"

struct clocks {
    const struct chains *g; // borrowed
    bool wide;
    uint16_t *narrow_rows; // n * n_chains entries in one of the two
    uint32_t *wide_rows;
    uint8_t *stale;    // by point: its row may be too small
    void *scratch;     // one row
    uint64_t rebuilds; // counted for statistics
};

/* Bytes that the rows of g will take. */
size_t clocks_bytes(const struct chains *g);

/* All rows are empty and stale. */
void clocks_init(struct clocks *c, const struct chains *g);
void clocks_free(struct clocks *c);

/* Note that an edge into p was added. */
static inline void
clocks_touch(struct clocks *c, uint32_t p)
{
    assert(p < c->g->n);
    c->stale[p] = 1;
}

/* Bring every row up to date, given a topological order of the points. */
void clocks_update(struct clocks *c, const uint32_t *order);

/* Assert that every row says what a search along the edges finds. */
void clocks_check(const struct clocks *c);

static inline uint32_t
clocks_get(const struct clocks *c, uint32_t p, uint32_t chain)
{
    assert(p < c->g->n && chain < c->g->n_chains);
    const size_t i = (size_t)p * c->g->n_chains + chain;
    return c->wide ? c->wide_rows[i] : c->narrow_rows[i];
}

/* Whether there is a path from a to b, or a == b, by the rows as they are. */
static inline bool
clocks_reach(const struct clocks *c, uint32_t a, uint32_t b)
{
    assert(a < c->g->n && b < c->g->n);
    const struct seat s = c->g->seat[a];
    return clocks_get(c, b, s.chain) > s.place;
}

/* Append a shortest path from u to v over the edges below 'limit' and the
 * chains; false if there is none.  Every row must be up to date with these
 * edges; without any rows (c->g alone is set) the search is blind.
 *
 *   time   the part of the graph between u and v */
struct path_finder {
    uint32_t *stamp, epoch;
    struct hop *leads; // by point: the hop out of it towards v
    u32_vec queue;
};
void path_finder_init(struct path_finder *f, const struct chains *g);
void path_finder_free(struct path_finder *f);
bool clocks_path(const struct clocks *c, struct path_finder *f, uint32_t u,
                 uint32_t v, uint32_t limit, hop_vec *path);

#endif
