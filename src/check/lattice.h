/* lattice.h -- verdicts that follow from those at other levels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_LATTICE_H
#define CHECK_LATTICE_H

#include "check/check.h"

/* Derive 'to' from the certificate of 'from': convert it for the level
 * (convert.h) and verify it.  False if that is not possible or would reach a
 * limit; then nothing changes. */
bool lattice_follow(const struct history *h, const struct check_options *o,
                    const struct level_result *from, struct level_result *to);

/* Decide the unknown levels that follow from another level, with its
 * certificate, converted for the level (convert.h) and verified.  If that is
 * not possible or would reach a limit, 'by' names the other level. */
void lattice_derive(const struct history *h, const struct check_options *o,
                    struct check *c);

/* What every caller of a check may rely on: each verdict has evidence, its own
 * or that of the level it follows from, was verified where that was requested,
 * and has no reason to be unknown. */
bool lattice_is_sound(const struct check_options *o, const struct check *c);

#endif
