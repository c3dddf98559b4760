/* proof_read.h -- proofs from text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EVIDENCE_PROOF_READ_H
#define EVIDENCE_PROOF_READ_H

#include "evidence/lexer.h"
#include "evidence/proof.h"

/* Read the steps of a proof, with their number before them. */
bool proof_read(struct lexer *l, struct proof *p);

#endif
