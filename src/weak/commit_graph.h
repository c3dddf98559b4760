/* commit_graph.h -- all edges that a commit order has to respect, and the
 * strongly connected components they make.
 *
 * Only built for a level that is violated; deciding a level builds no graph
 * (topological_sort.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_COMMIT_GRAPH_H
#define WEAK_COMMIT_GRAPH_H

#include "weak/commit_order.h"

/* The edges of session order (to the next transaction only), of the assignment
 * and of the level, grouped by target: those into t are from[first[t] ..
 * first[t + 1]). */
struct commit_graph {
    const struct ordered_assignment *g;
    const struct history *h;
    const struct edges *edges; // of the level
    size_t *first;             // by transaction, n_txns + 1 of them
    txn_id *from;
    uint32_t *which; // by edge: an index into edges->all, or one of these:
};

#define COMMIT_GRAPH_SESSION UINT32_MAX
#define COMMIT_GRAPH_READ (UINT32_MAX - 1)

void commit_graph_init(struct commit_graph *p,
                       const struct ordered_assignment *g,
                       const struct edges *edges);
void commit_graph_free(struct commit_graph *p);

/* EDGE_SO, EDGE_WR, EDGE_WW (by the order of a list) or EDGE_CO. */
enum edge_kind commit_graph_kind(const struct commit_graph *p, size_t edge);

/* The transaction that an edge leads to. */
txn_id commit_graph_target(const struct commit_graph *p, size_t edge);

/* Strongly connected components. */
struct components {
    uint32_t *of; // by transaction: a number from 1
    uint32_t n;
    u32_vec nodes;  // of the components with a cycle, one after the other
    u32_vec starts; // where each begins in 'nodes', and where the last ends
};

/* Find the components.
 *
 *   time   O(transactions + edges), no recursion */
void components_find(const struct commit_graph *p, struct components *c);
void components_free(struct components *c);

#endif
