/* infer.h -- what follows for certain: saturation and candidate pruning.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_INFER_H
#define STRONG_INFER_INFER_H

#include "depend/dependencies.h"
#include "graph/clock.h"
#include "strong/context.h"

enum conflict_kind {
    CONFLICT_NONE,
    CONFLICT_CYCLE, // 'cycle' is one, of edges of the graph
    CONFLICT_EDGE,  // the edge from -> to must hold, and 'to' reaches 'from'
    CONFLICT_READ,  // no candidate of 'read' is left
};

struct conflict {
    enum conflict_kind kind;
    hop_vec cycle;
    uint32_t from, to;
    struct label label;
    read_id read;
};

struct inference {
    struct dependencies *p;
    struct strong_context *context;
    bool has_clocks; // false where they would not fit into memory
    struct clocks clocks;
    uint32_t *order; // a topological order of the points
    uint32_t *rank;
    bool unsorted; // an edge was added that the order contradicts
    bool changed;  // since the last update of the clocks
    struct conflict conflict;
    uint64_t added; // edges inferred so far
};

/* Sort what is known and compute the clocks.  Returns false with a conflict
 * where that is contradictory already. */
bool infer_init(struct inference *f, struct dependencies *p,
                struct strong_context *context);
void infer_free(struct inference *f);

/* Saturate as far as it pays; false with a conflict, or, without one, where a
 * budget is spent. */
bool infer_run(struct inference *f);

/* Add an inferred edge, unless it is implied.  Returns false with a conflict
 * where the clocks know a path back. */
bool infer_add(struct inference *f, uint32_t from, uint32_t to,
               struct label label);

/* Sort again if need be, and bring the clocks up to date. */
bool infer_settle(struct inference *f);

/* Whether clocks on the points of p fit into memory and are worth it. */
bool infer_affords_clocks(const struct dependencies *p);

/* candidates.c: strike out what an ambiguous read cannot have read, or nothing
 * but its own transaction. */
bool infer_candidates(struct inference *f);
void infer_no_candidates(struct dependencies *p);

static inline bool
infer_reach(const struct inference *f, uint32_t a, uint32_t b)
{
    return clocks_reach(&f->clocks, a, b);
}

#endif
