/* validate.h -- checks of the whole state, for paranoid builds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SAT_VALIDATE_H
#define SAT_VALIDATE_H

#include "sat/internal.h"

/* Assert (S1) to (S5), after a propagation without conflict. */
void sat_check(struct sat *s);

#endif
