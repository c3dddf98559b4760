/* cycle_search.h -- light cycles of a commit graph.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CYCLE_SEARCH_H
#define WEAK_CYCLE_SEARCH_H

#include "base/limits/tuning.h"
#include "weak/commit_graph.h"

struct cycle_heap_entry {
    uint64_t weight;
    txn_id txn;
};

struct cycle_search {
    const struct commit_graph *p;
    const struct components *c;
    uint64_t *weight; // by transaction: of the way from it to the start
    size_t *edge;     // by transaction: the edge that leads on from it
    u32_vec touched;  // transactions whose weight is set
    VEC(struct cycle_heap_entry) heap;
    size_t work;      // edges visited for this component
    uint64_t visited; // edges visited in all
    bool narrow;      // go against the sequence once only, from the start
    uint64_t best;
    VEC(size_t)
    cycle; // edges of the best cycle, each ends where the next
           // begins
};

void cycle_search_init(struct cycle_search *s, const struct commit_graph *p,
                       const struct components *c);
void cycle_search_free(struct cycle_search *s);

/* Whether cycles through t are worth a search: every cycle has an edge that
 * goes against the sequence, where there is a sequence. */
bool cycle_search_is_start(const struct cycle_search *s, txn_id t);

/* Find the lightest cycle through 'start' that is lighter than 'best', and
 * update 'best' and 'cycle'. */
void cycle_search_through(struct cycle_search *s, txn_id start);

/* Find a light cycle of component i: the lightest one, unless the component is
 * so large that the search is cut short.
 *
 *   ensure  there is one */
void cycle_search_component(struct cycle_search *s, uint32_t i);

#endif
