/* analyse.h -- learning from a conflict.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SAT_ANALYSE_H
#define SAT_ANALYSE_H

#include "sat/internal.h"

/* Learn a clause from a conflict, backtrack and assign what follows.  Returns
 * false if the conflict is final. */
bool sat_analyse(struct sat *s, clause_ref conflict);

#endif
