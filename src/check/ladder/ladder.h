/* ladder.h -- levels decided by the strategies of a list, in turn.
 *
 * The verdict does not depend on which strategy finds it: each gives a
 * certificate.  Steps are counted and not timed, so that the same strategy
 * decides in every run.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_LADDER_LADDER_H
#define CHECK_LADDER_LADDER_H

#include "check/check.h"

/* Decide these levels, which are weak ones or one strong level, with all that
 * is in the budget, which may be NULL.  'flawed': there are inconsistent reads,
 * and the levels are weak.  Fills in the certificates of the levels; a level
 * whose verdict is VERDICT_UNKNOWN is undecided.
 *
 *   require  strict levels only where h has times */
void ladder_decide(const struct history *h, const struct check_options *o,
                   bool flawed, level_set levels, struct budget *budget,
                   struct certificate certificates[LEVELS],
                   struct ladder_stats *stats);

#endif
