/* verify_proof.h -- a proof that a level is violated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_VERIFY_PROOF_H
#define VERIFY_VERIFY_PROOF_H

#include "evidence/proof.h"

/* Check a proof at any level but read consistency. */
bool verify_proof(const struct history *h, enum level level,
                  const struct proof *proof, struct err *err);

#endif
