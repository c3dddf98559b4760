/* candidates.c -- see candidates.h.
 *
 * SPDX-License-Identifier: MIT */
#include "depend/candidates.h"

void
candidates_truncate(struct candidate_pool *pool, struct candidates *c,
                    uint32_t n)
{
    assert(n <= c->n && c->first + c->n <= pool->items.n);
    c->n = n;
    if (c->first >= pool->shared)
        return;
    const size_t from = c->first;
    c->first = pool->items.n;
    for (uint32_t i = 0; i < n; i++)
        vec_push(&pool->items, pool->items.at[from + i]);
    assert(c->first >= pool->shared); // (2)
}

void
candidates_append(struct candidate_pool *pool, struct candidates *c,
                  uint32_t item)
{
    assert(c->first >= pool->shared); // (1)
    assert(c->first + c->n <= pool->items.n);
    if (c->first + c->n == pool->items.n)
        vec_push(&pool->items, item);
    else
        pool->items.at[c->first + c->n] = item;
    c->n++;
}
