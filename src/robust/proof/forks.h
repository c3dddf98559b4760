/* forks.h -- proofs at psi that follow from one at si; private to proofs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef ROBUST_PROOF_FORKS_H
#define ROBUST_PROOF_FORKS_H

#include "robust/proof/path_query.h"

/* Whether all executions are serializable, as far as this can show it. */
bool forks_prove(struct path_prover *v);

#endif
