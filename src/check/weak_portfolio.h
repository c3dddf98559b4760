/* weak_portfolio.h -- weak levels decided by two engines in turn.
 *
 * Where values repeat, the weak levels are a search too, and sometimes a hard
 * one although a stronger level is easy: a history that satisfies pc satisfies
 * them with the same order and the same choices.  So the order of the input is
 * tried at pc first, and where values have many writers an order in which
 * reads read from near ones (strong/near_order.h), or what the history run once
 * gives (strong/first_run.h).  Then the weak engine gets a
 * small budget, then the strong engine tries ser and pc, and only then the weak
 * engine continues with all that is left.  In a small history with few values
 * that first budget is a fraction of what ser takes, and the strong engine lets
 * the weak one try again, for longer, where it does not succeed soon
 * (strong/stronger_level.h).  Budgets are counted, not timed, and the verdict
 * does not depend on which engine was first.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_WEAK_PORTFOLIO_H
#define CHECK_WEAK_PORTFOLIO_H

#include "check/check.h"

/* Decide weak levels with all that is in the budget.  'has_flaws': there are
 * inconsistent reads, and every level is violated. */
void weak_portfolio_check(const struct history *h,
                          const struct check_options *o, bool has_flaws,
                          level_set levels, struct budget *all,
                          struct certificate certificates[LEVELS],
                          struct weak_stats *stats);

#endif
