/* proof_facts.h -- justifies the edges, reads and removals that a proof uses.
 *
 * Each inferred edge becomes a cycle: the opposite assumption closes one with
 * the path that the rule saw.  The clause of the cycle has one literal that is
 * not known, so unit propagation over the finished proof repeats the inference.
 *
 * Edges are justified from the last to the first, and only those that something
 * justified before needs.  So the proof is as large as the refutation, not as
 * the history.
 *
 *   (D1) justifying edge e marks only edges below e as needed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_SEARCH_PROOF_FACTS_H
#define STRONG_SEARCH_PROOF_FACTS_H

#include "strong/search/proof_builder.h"

/* Mark that it must be proved how r was decided, or which candidates it has. */
void proof_facts_need_read(struct proof_builder *b, read_id r);

/* Prove what was marked. */
void proof_facts_prove_reads(struct proof_builder *b);

/* Justify an edge that was added when there were 'limit' edges. */
void proof_facts_prove_edge(struct proof_builder *b, uint32_t from, uint32_t to,
                            struct label label, uint32_t limit);

/* Justify all edges that are needed. */
void proof_facts_prove_edges(struct proof_builder *b);

/* State the choices of open transactions that were removed by what their
 * counting would imply.  That takes an assumption, so each is a clause of its
 * own, in the order in which they were removed, after everything that it
 * rests on. */
void proof_facts_add_assumed(struct proof_builder *b);

#endif
