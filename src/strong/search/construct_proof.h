/* construct_proof.h -- from a refutation to a proof that needs no engine.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_SEARCH_CONSTRUCT_PROOF_H
#define STRONG_SEARCH_CONSTRUCT_PROOF_H

#include "evidence/proof.h"
#include "strong/infer/inference.h"
#include "strong/search/search_log.h"

/* Prove the conflict of the inference. */
struct proof *construct_proof_of_conflict(const struct inference *f);

/* Prove the empty clause of the search. */
struct proof *construct_proof_of_search(const struct inference *f,
                                        const struct search_log *g);

#endif
