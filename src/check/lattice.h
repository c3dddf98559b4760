/* lattice.h -- what the verdicts at some levels say about others.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_LATTICE_H
#define CHECK_LATTICE_H

#include "check/check.h"

/* Settle 'to' by the certificate of 'from', from which it follows, made into
 * one for the level (convert.h) and verified.  False where that cannot be done,
 * or would reach a limit; then nothing changes. */
bool lattice_follow(const struct history *h, const struct check_options *o,
                    const struct level_result *from, struct level_result *to);

/* Settle the levels that are unknown, but follow from another one: with its
 * certificate, made into one for the level (convert.h) and verified; or, where
 * that cannot be done or would reach a limit, with a 'by' that names it. */
void lattice_settle(const struct history *h, const struct check_options *o,
                    struct check *c);

/* What every caller of a check may rely on: each verdict has evidence, its own
 * or that of the level that settles it, was verified where that was asked for,
 * and has no reason to be unknown. */
bool lattice_is_sound(const struct check_options *o, const struct check *c);

#endif
