/* forks.h -- proofs at psi that follow from one at si; private to proofs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_PROOF_FORKS_H
#define PROVE_ROBUST_PROOF_FORKS_H

#include "prove/robust/proof/path_query.h"

/* Whether all executions are serializable, as far as this can show it. */
bool forks_prove(struct path_prover *v);

#endif
