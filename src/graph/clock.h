/* clock.h -- reachability in a graph of chains: a clock per point.
 *
 * row(p)[c] is 1 + the place of the last point of chain c that reaches p, or 0;
 * every point reaches itself.  n * chains entries instead of n^2 bits, of 16
 * bits where every chain is short enough, else of 32.
 *
 * The chains are those of the graph, or a cover: other chains, of points each
 * of which reaches the next by a path.  Where the graph has thousands of short
 * chains, which a session of few transactions each makes, a cover has as many
 * as the graph is wide, and that does not depend on the number of sessions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GRAPH_CLOCK_H
#define GRAPH_CLOCK_H

#include "graph/chains.h"

struct clocks {
    const struct chains *g;  // borrowed
    uint32_t n_chains;       // of the graph, or of the cover
    uint32_t stride;         // entries from one row to the next
    const struct seat *seat; // by point: of the graph, or 'cover'
    struct seat *cover;      // NULL where the chains are the graph's
    bool wide;
    uint16_t *narrow_rows; // n * stride entries in one of the two
    uint32_t *wide_rows;
    size_t room;       // of a cover: entries that narrow_rows has room for
    uint8_t *stale;    // by point: its row may be too small
    void *scratch;     // one row
    uint64_t rebuilds; // counted for statistics
    uint64_t steps;    // of a budget, for these: eight entries are one
};

/* Bytes that the rows of g will take. */
size_t clocks_bytes(const struct chains *g);

/* All rows are empty and stale. */
void clocks_init(struct clocks *c, const struct chains *g);

/* Cover g with chains, given a topological order of the points, and compute
 * every row.  Returns false, with nothing to free and c->g alone set, where the
 * rows would take more than 'most' bytes.  Edges may be added afterwards: what
 * is a chain stays one.
 *
 *   time   O((n + edges) * chains of the cover) */
bool clocks_init_cover(struct clocks *c, const struct chains *g,
                       const uint32_t *order, size_t most);

/* Cover the graph anew.  After many edges were added, this is cheaper than an
 * update, and the cover has fewer chains.  Returns false, with nothing to free,
 * as clocks_init_cover does. */
bool clocks_cover_again(struct clocks *c, const uint32_t *order, size_t most);
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
    assert(p < c->g->n && chain < c->n_chains);
    const size_t i = (size_t)p * c->stride + chain;
    return c->wide ? c->wide_rows[i] : c->narrow_rows[i];
}

/* Whether there is a path from a to b, or a == b, by the rows as they are. */
static inline bool
clocks_reach(const struct clocks *c, uint32_t a, uint32_t b)
{
    assert(a < c->g->n && b < c->g->n);
    const struct seat s = c->seat[a];
    return clocks_get(c, b, s.chain) > s.place;
}

/* Append a shortest path from u to v over the edges below 'limit' and the
 * chains; false if there is none.  Every row must be up to date with these
 * edges.  Without any rows (c->g alone is set), the search passes over what is
 * before u in an order that the path is known to go up; without that, too, it
 * is blind.
 *
 *   time   the part of the graph between u and v */
struct path_finder {
    const uint32_t *rank; // by point: its place in such an order, or NULL
    uint32_t *stamp, epoch;
    struct hop *leads; // by point: the hop out of it towards v
    u32_vec queue;
};
void path_finder_init(struct path_finder *f, const struct chains *g);
void path_finder_free(struct path_finder *f);
bool clocks_path(const struct clocks *c, struct path_finder *f, uint32_t u,
                 uint32_t v, uint32_t limit, hop_vec *path);

#endif
