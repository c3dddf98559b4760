/* interleaving_order.c -- serial orders of the members of an execution.
 *
 * SPDX-License-Identifier: MIT */
#include "prove/execute/interleaving.h"

enum serial
interleaving_try_order(const struct interleaving *e,
                       const uint32_t order[INTERLEAVING_MOST],
                       struct run runs[INTERLEAVING_MOST],
                       struct dataset *final)
{
    enum serial found = SERIAL_FOUND;
    dataset_copy(final, e->initial);
    for (uint32_t i = 0; i < e->n; i++) {
        const uint32_t t = order[i];
        run_on(e->program, &e->members[t], final, &runs[t]);
        if (runs[t].end == RUN_UNCERTAIN)
            return SERIAL_UNCERTAIN;
        if (runs[t].end != RUN_COMMITS ||
            !run_same_observations(&runs[t], &e->runs[t]))
            found = SERIAL_NONE;
        if (runs[t].end == RUN_COMMITS)
            changes_apply(&runs[t].changes, final);
    }
    return found == SERIAL_FOUND && dataset_equal(final, &e->final)
               ? SERIAL_FOUND
               : SERIAL_NONE;
}

bool
interleaving_next_order(uint32_t *order, uint32_t n)
{
    uint32_t i = n;
    while (i > 1 && order[i - 2] > order[i - 1])
        i--;
    if (i < 2)
        return false;
    const uint32_t pivot = i - 2;
    uint32_t j = n - 1;
    while (order[j] < order[pivot])
        j--;
    const uint32_t swap = order[pivot];
    order[pivot] = order[j];
    order[j] = swap;
    for (uint32_t a = pivot + 1, b = n - 1; a < b; a++, b--) {
        const uint32_t t = order[a];
        order[a] = order[b];
        order[b] = t;
    }
    return true;
}

enum serial
interleaving_explain(const struct interleaving *e,
                     uint32_t order[INTERLEAVING_MOST])
{
    struct run runs[INTERLEAVING_MOST] = {{0}};
    struct dataset final;
    dataset_init(&final, e->program);
    for (uint32_t i = 0; i < e->n; i++)
        order[i] = i;
    enum serial found = SERIAL_NONE;
    do
        found = interleaving_try_order(e, order, runs, &final);
    while (found == SERIAL_NONE && interleaving_next_order(order, e->n));
    for (uint32_t i = 0; i < INTERLEAVING_MOST; i++)
        run_free(&runs[i]);
    dataset_free(&final);
    return found;
}
