/* acyc.h -- the theory of acyclicity: literals carry edges, and the edges of
 * the true literals must not close a cycle with those of the graph.
 *
 * SPDX-License-Identifier: MIT */
#ifndef ACYC_ACYC_H
#define ACYC_ACYC_H

#include "base/limits/budget.h"
#include "graph/order.h"
#include "sat/theory.h"

/* An edge that holds when its literal does. */
struct carried {
    uint32_t from, to;
    uint32_t tag;  // what the edge means to the caller
    uint32_t next; // of the same literal
    lit owner;
    bool inserted;
};

struct acyc {
    struct order order;
    uint32_t base; // edges that hold anyway
    VEC(struct carried) carried;
    u32_vec first;              // by literal: its carried edges, or EDGE_NONE
    VEC(uint8_t) may_stay_open; // by variable
    u32_vec inserted;           // by edge from 'base' on: which carried edge
    u32_vec levels;             // edges in the graph when each level began
    lit_vec pending;
    hop_vec path;     // of the last conflict: back from the end of 'closing'
    uint32_t closing; // to its beginning
    uint64_t insertions, cycle_hops, cycle_literals, cycles;
    bool leave_open;       // whether variables may stay open at all
    struct budget *budget; // for moving points; may be NULL
};

/* Begin with the edges of g, which must be acyclic, and a topological order of
 * them.  g is borrowed and changed. */
void acyc_init(struct acyc *a, struct chains *g, const uint32_t *order);
void acyc_free(struct acyc *a);

/* Let literal l carry an edge.  No assignment may stand. */
void acyc_carry(struct acyc *a, lit l, uint32_t from, uint32_t to,
                uint32_t tag);

/* Allow v to stay open as long as the order agrees with all edges of one of
 * its literals. */
void acyc_may_stay_open(struct acyc *a, uint32_t v, bool may);

/* The theory for the solver; valid as long as a is. */
struct theory acyc_theory(struct acyc *a);

/* The carried edge of an edge of the graph, or NULL where it holds anyway. */
const struct carried *acyc_carried(const struct acyc *a, uint32_t edge);

/* Assert that the graph holds just the edges that are marked as inserted. */
void acyc_check(const struct acyc *a);

#endif
