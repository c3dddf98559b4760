/* propagate.h -- assignments, unit propagation, and backtracking.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SAT_PROPAGATE_H
#define SAT_PROPAGATE_H

#include "sat/internal.h"

/* Make l true at a level, because of a clause, the theory, or REF_NONE. */
void sat_assign(struct sat *s, lit l, clause_ref reason, uint32_t level);

/* Propagate until nothing changes.  Returns a clause that is false, or
 * REF_NONE.  Sets s->refuted where the theory alone is contradictory. */
clause_ref sat_propagate(struct sat *s);

/* Undo all assignments above a level. */
void sat_backtrack(struct sat *s, uint32_t level);

/* The clause that implied a variable.  Where the theory implied it, the theory
 * explains it now. */
clause_ref sat_explain(struct sat *s, uint32_t var);

#endif
