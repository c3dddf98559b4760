/* derive.h -- from a refutation to a proof that stands by itself.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_DERIVE_H
#define STRONG_DERIVE_H

#include "evidence/proof.h"
#include "strong/infer.h"
#include "strong/log.h"

/* Prove the conflict of the inference. */
struct proof *derive_conflict(const struct inference *f);

/* Prove the empty clause of the search. */
struct proof *derive_search(const struct inference *f, const struct log *g);

#endif
