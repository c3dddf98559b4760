/* item_left_out.c -- see item_left_out.h.
 *
 * SPDX-License-Identifier: MIT */
#include "collect/items/item_left_out.h"

#include "collect/items/item_draw.h"

/* Whether a session of the run may look at a row again that it waited for. */
static bool
has_rechecks(const struct database *db)
{
    for (size_t i = 0; i < db->mix.n; i++)
        if (db->mix.at[i] < ISOLATION_REPEATABLE_READ)
            return true;
    return !db->mix.n && db->isolation < ISOLATION_REPEATABLE_READ;
}

/* Whether the step inserts a row that its transaction has deleted.  A statement
 * at READ COMMITTED that waits for the row sees that it is gone, and not that
 * it is there again: it finds none, although one was there all the time. */
static bool
inserts_again(const struct workload_step *step, const struct item_state *s)
{
    if (step->kind != STEP_ITEM_INSERT && step->kind != STEP_ITEM_UPSERT)
        return false;
    for (size_t i = 0; i < s->deleted.n; i++)
        if (s->deleted.at[i] == step->key)
            return true;
    return false;
}

bool
item_is_left_out(const struct connection *c, const struct workload_step *step,
                 const struct item_state *s)
{
    const bool is_few = s->found < ITEM_FEW;
    return (inserts_again(step, s) && has_rechecks(c->database)) ||
           (step->when != ITEM_ALWAYS && is_few != (step->when == ITEM_IF_FEW));
}
