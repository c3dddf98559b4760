/* lattice.h -- what the verdicts at some levels say about others.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_LATTICE_H
#define CHECK_LATTICE_H

#include "check/check.h"

/* Settle the levels that are unknown, but follow from the certificate of
 * another one, which their 'by' names then. */
void lattice_settle(struct check *c);

#endif
