/* search_log.c -- see search_log.h.
 *
 * SPDX-License-Identifier: MIT */
#include "strong/search/search_log.h"

void
search_log_free(struct search_log *g)
{
    vec_free(&g->entries);
    vec_free(&g->hops);
    vec_free(&g->lits);
    vec_free(&g->from);
    vec_free(&g->variables);
}

void
search_log_set(struct search_log *g, uint32_t id, struct log_entry e)
{
    assert(id); // ids begin at 1
    while (g->entries.n <= id)
        vec_push(&g->entries, ((struct log_entry){.kind = ENTRY_DERIVED}));
    g->entries.at[id] = e;
}
