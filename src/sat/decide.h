/* decide.h -- decisions: the heap of activities, and assumptions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SAT_DECIDE_H
#define SAT_DECIDE_H

#include "sat/internal.h"

void sat_heap_insert(struct sat *s, uint32_t var);
void sat_heap_bump(struct sat *s, uint32_t var);

/* Decide a variable.  Returns false where none is left to decide. */
bool sat_decide(struct sat *s);

/* Decide the next assumption.  Returns false where it is false already. */
bool sat_assume(struct sat *s);

#endif
