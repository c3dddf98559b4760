/* log.c -- see log.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/log.h"

void
log_free(struct log *g)
{
    vec_free(&g->entries);
    vec_free(&g->hops);
    vec_free(&g->lits);
    vec_free(&g->from);
    vec_free(&g->variables);
}

void
log_set(struct log *g, uint32_t id, struct entry e)
{
    while (g->entries.n <= id)
        vec_push(&g->entries, ((struct entry){.kind = ENTRY_DERIVED}));
    g->entries.at[id] = e;
}
