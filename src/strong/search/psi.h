/* psi.h -- parallel snapshot isolation.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_SEARCH_PSI_H
#define STRONG_SEARCH_PSI_H

#include "strong/infer/inference.h"

/* Decide psi after inference, and fill the certificate. */
void psi_search(struct inference *f, struct certificate *out);

#endif
