/* proof_builder.h -- a proof under construction, and its cycles.
 *
 * The engine keeps labels of edges and no reasons.  A label says by which rule
 * an edge was added, and the premise of the rule was a path over edges with
 * smaller numbers.  So the reason of edge e is found again by searching a path
 * below e.  Edges that a cycle uses are marked as needed, to be justified later
 * (proof_facts.h); the rest of the graph is left out of the proof.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_SEARCH_PROOF_BUILDER_H
#define STRONG_SEARCH_PROOF_BUILDER_H

#include "evidence/proof.h"
#include "strong/infer/inference.h"
#include "strong/search/search_log.h"

struct proof_builder {
    const struct dependencies *p;
    const struct inference *f;
    const struct search_log *g; // NULL where nothing was searched
    struct proof *proof;
    struct path_finder finder;
    hop_vec path;
    VEC(struct logged_hop) cycle; // the one being built
    uint8_t *needed;              // by edge of the known graph
    uint8_t *chosen;   // by read: how it was decided is proved, or will be
    u32_vec reads;     // for which that is still to be done
    u32_vec assumed;   // of p->removed: those that take an assumption
    uint32_t *removed; // indices of p->removed, by read
    uint32_t highest;  // no edge from this number on needs to be justified
};

void proof_builder_init(struct proof_builder *b, const struct inference *f,
                        const struct search_log *g);

/* Free everything but the proof, which is returned. */
struct proof *proof_builder_finish(struct proof_builder *b);

/* The id in the history of t, which may be DENSE_INIT. */
txn_id proof_builder_name(const struct proof_builder *b, dense_id t);

/* --- one cycle at a time -------------------------------------------------- */

void proof_builder_begin_cycle(struct proof_builder *b);

/* Append a hop; the edge of the known graph that it uses is needed. */
void proof_builder_add_hop(struct proof_builder *b, struct logged_hop h);
void proof_builder_add_known_hop(struct proof_builder *b, struct hop h);

/* Append an edge that the cycle assumes. */
void proof_builder_assume(struct proof_builder *b, uint32_t from, uint32_t to,
                          struct label label);

/* Append a path from u to v over edges below 'limit'.
 *
 *   require  proof_builder_has_path */
void proof_builder_add_path(struct proof_builder *b, uint32_t u, uint32_t v,
                            uint32_t limit);
bool proof_builder_has_path(struct proof_builder *b, uint32_t u, uint32_t v,
                            uint32_t limit);

/* Add the cycle to the proof.  Hops within a transaction need no edge, and hops
 * along the time line become one from transaction to transaction. */
void proof_builder_end_cycle(struct proof_builder *b);

#endif
