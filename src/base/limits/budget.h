/* budget.h -- how much work may be done for a question, counted and not timed.
 *
 * What to do next must not depend on the clock, or a busy machine would give
 * other answers than an idle one.  So work that may give up has a budget of
 * steps: a step is about what it takes to look at one edge, candidate or
 * operation in memory.  That takes 1 to 60 nanoseconds, so check/ladder
 * converts the steps of each strategy into steps of ten, as measured.  NULL is
 * a budget without end.  Only a user's limit may end it earlier.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_LIMITS_BUDGET_H
#define BASE_LIMITS_BUDGET_H

#include "base/limits/context.h"

/* Steps in what used to be a second, and nanoseconds in a step. */
#define BUDGET_SECOND UINT64_C(100000000)
#define BUDGET_STEP_NS 10

struct budget {
    uint64_t left;             // 0 = it is spent
    const struct limit *until; // and so it is then; NULL = never
};

static inline bool
budget_is_spent(const struct budget *b)
{
    return b && (!b->left || (b->until && limit_reached(b->until)));
}

/* Take n steps; false where that is all, or more than all, there was. */
static inline bool
budget_spend(struct budget *b, uint64_t n)
{
    context_poll();
    if (!b)
        return true;
    b->left = n < b->left ? b->left - n : 0;
    return !budget_is_spent(b);
}

/* Take at most n steps out of b, to be spent apart from it, and give back what
 * was not. */
static inline struct budget
budget_take(struct budget *b, uint64_t n)
{
    const struct budget some = {n < b->left ? n : b->left, b->until};
    b->left -= some.left;
    return some;
}

static inline void
budget_give_back(struct budget *b, const struct budget *some)
{
    b->left += some->left;
}

#endif
