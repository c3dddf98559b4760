/* inference.h -- the known graph, kept sorted, with reachability.
 *
 * Inference adds edges that hold in every order which explains the history.  It
 * keeps a topological order of the points.  Where reads are ambiguous, or the
 * problem is small, it has a clock per point, too, so that "a reaches b" is one
 * comparison.  saturate.h infers edges, prune.h removes candidates of
 * ambiguous reads; both work on this.
 *
 *   (I1) 'order' is a topological order of the graph unless 'unsorted' is set;
 *   (I2) 'rank' is the inverse of 'order';
 *   (I3) the clocks are exact for the edges that the graph had at the last
 *        update, and 'changed' is set if edges were added since.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_INFERENCE_H
#define STRONG_INFER_INFERENCE_H

#include "depend/dependencies.h"
#include "graph/clock.h"
#include "strong/context.h"

enum conflict_kind {
    CONFLICT_NONE,
    CONFLICT_CYCLE, // 'cycle' is one, of edges of the graph
    CONFLICT_EDGE,  // the edge from -> to must hold, and 'to' reaches 'from'
    CONFLICT_READ,  // no candidate of 'read' is left
};

/* Why no order explains the history. */
struct conflict {
    enum conflict_kind kind;
    hop_vec cycle;
    uint32_t from, to;
    struct label label;
    read_id read;
};

struct inference {
    struct dependencies *p; // the problem: versions, reads, known edges
    struct strong_context *context;
    bool has_clocks;    // false where nothing needs them, or memory is short
    bool cached_clocks; // and they stay in the cache
    struct clocks clocks;
    size_t covered;  // edges that the graph had when its cover was made
    uint32_t *order; // a topological order of the points
    uint32_t *rank;
    bool unsorted; // an edge was added that the order contradicts
    bool changed;  // edges were added since the last update of the clocks
    struct conflict conflict;
    uint64_t added; // edges inferred so far
};

/* Sort the known graph and compute the clocks.  Returns false with a conflict
 * where the known graph has a cycle.  The caller frees f in either case. */
bool inference_init(struct inference *f, struct dependencies *p,
                    struct strong_context *context);
void inference_free(struct inference *f);

/* Assert (I1) to (I3). */
void inference_check(const struct inference *f);

/* Add an inferred edge. */
void inference_add(struct inference *f, uint32_t from, uint32_t to,
                   struct label label);

/* Note that the edge from -> to must hold, though 'to' reaches 'from'. */
void inference_contradict(struct inference *f, uint32_t from, uint32_t to,
                          struct label label);

/* Take note of the edges from number 'first' on, which were added to the graph
 * directly. */
void inference_note_edges(struct inference *f, size_t first);

/* Sort again where needed, and bring the clocks up to date.  Returns false with
 * a conflict where the graph has a cycle now. */
bool inference_update(struct inference *f);

/* Make clocks for g, whose points are those of the problem, given a topological
 * order of them: by session, or on a cover where there are many sessions.
 * False, with *out zero but for 'g', where they would take too much memory. */
bool inference_make_clocks(const struct inference *f, const struct chains *g,
                           const uint32_t *order, struct clocks *out);

/* Whether there is a path from a to b, as far as the clocks know (I3). */
static inline bool
inference_reach(const struct inference *f, uint32_t a, uint32_t b)
{
    assert(f->has_clocks);
    return clocks_reach(&f->clocks, a, b);
}

#endif
