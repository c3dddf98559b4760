/* lattice.h -- what the verdicts at some levels say about others.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_LATTICE_H
#define CHECK_LATTICE_H

#include "check/check.h"

/* Settle the levels that are unknown, but follow from another one: with its
 * certificate, made into one for the level (convert.h) and verified; or, where
 * that cannot be done or would reach a limit, with a 'by' that names it. */
void lattice_settle(const struct history *h, const struct check_options *o,
                    struct check *c);

#endif
