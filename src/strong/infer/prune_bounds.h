/* prune_bounds.h -- pruning of reads that have very many candidates.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_PRUNE_BOUNDS_H
#define STRONG_INFER_PRUNE_BOUNDS_H

#include "strong/infer/inference.h"

/* The versions of one key by one chain of the clocks. */
struct segment {
    uint32_t chain;
    uint32_t first, end; // into 'versions', by place in the chain
    version_id frontier; // of the present read, or VERSION_NONE
};

/* A version, and the seat of its commit. */
struct placed {
    struct seat seat;
    version_id version;
};

struct pruning {
    struct inference *f;
    bool found_counting;          // in this pass it was found out whether some
                                  // transaction counts
    VEC(struct placed) versions;  // of the present key, by chain and place
    VEC(struct segment) segments; // of the present key, by chain
    read_id read;                 // the present one
    uint32_t start;               // of its transaction
    bool reached;                 // the frontier is not empty
};

/* Whether the present read, with the candidates c, is to be pruned by bounds:
 * there are many of them, strikes are not recorded, and chains are sessions. */
bool prune_bounds_suit(const struct pruning *s, const struct candidates *c);

/* Strike out candidates of the present read, whose frontier is known.  Where
 * few would go, all may stay.
 *
 *   time   O(segments^2 + segments * log versions), and that of copying the
 *          candidates that are left where half of them go */
void prune_bounds_apply(struct pruning *s, struct candidates *c);

#endif
