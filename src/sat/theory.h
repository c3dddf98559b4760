/* theory.h -- the interface between the solver and a theory.
 *
 * The solver owns the trail and calls; the theory answers.  Calls come in this
 * order and no other:
 *
 *     ( decide | assign* propagate )*  [ conflict: explain* backtrack ]
 *
 * Reasons are requested later, and only for literals that the analysis of a
 * conflict visits, so 'propagate' may be cheap and 'explain' thorough.
 *
 * Both sides rely on this:
 *   (T1) every literal of a reason or conflict was true on the trail when the
 *        theory reported it;
 *   (T2) after backtrack(l) the theory has forgotten exactly the assignments
 *        above level l;
 *   (T3) literals true at the root are assigned again when a search begins,
 *        because edges may have been added to them in between;
 *   (T4) a theory without conflict is satisfied by the assignment, where a
 *        variable that it advised to leave open counts for whichever sign the
 *        theory prefers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SAT_THEORY_H
#define SAT_THEORY_H

#include "base/container/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t lit; // 2 * variable, + 1 where negated
typedef u32_vec lit_vec;

static inline lit
lit_make(uint32_t var, bool negated)
{
    return 2 * var + negated;
}

static inline lit
lit_not(lit l)
{
    return l ^ 1;
}

static inline uint32_t
lit_var(lit l)
{
    return l >> 1;
}

static inline bool
lit_is_negated(lit l)
{
    return l & 1;
}

enum advice {
    ADVICE_NONE,  // decide as the solver likes
    ADVICE_TRUE,  // decide the variable true
    ADVICE_FALSE, // decide it false
    ADVICE_OPEN,  // no need to decide it now; ask again at the end
    ADVICE_LATER, // the same, however often it had to be decided
};

struct theory {
    const char *name;
    void *self;

    /* The search opened the next decision level; the root level is 0. */
    void (*decide)(void *self);

    /* A literal became true.  Cheap: only note it. */
    void (*assign)(void *self, lit l);

    /* Append implied literals to 'out'; or return false and fill 'out' with
     * literals that are true now and cannot all be (T1). */
    bool (*propagate)(void *self, lit_vec *out);

    /* Append true literals that together imply l, which the theory implied. */
    void (*explain)(void *self, lit l, lit_vec *out);

    /* Forget the assignments above 'level' (T2). */
    void (*backtrack)(void *self, uint32_t level);

    /* How to decide a variable.  May be NULL. */
    enum advice (*advise)(void *self, uint32_t var);
};

#endif
