/* edges.c -- see edges.h.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/edges.h"

void
edges_free(struct edges *e)
{
    vec_free(&e->all);
    vec_free(&e->stale);
}

void
edges_join(struct edges *e, struct edges *more)
{
    assert(e->store == more->store && e->sequence == more->sequence);
    e->broken |= more->broken;
    for (size_t i = 0; i < more->all.n; i++)
        vec_push(&e->all, more->all.at[i]);
    for (size_t i = 0; i < more->stale.n; i++)
        vec_push(&e->stale, more->stale.at[i]);
    edges_free(more);
}

void
edges_group(const struct edges *e, const struct history *h,
            struct predecessors *out)
{
    capacity_want(CAPACITY_EDGES, e->all.n);
    out->first = mem_calloc((size_t)h->n_txns + 2, sizeof *out->first);
    uint32_t *next = out->first + 1;
    for (size_t i = 0; i < e->all.n; i++)
        next[e->all.at[i].to + 1]++;
    for (txn_id t = 0; t < h->n_txns; t++)
        next[t + 1] += next[t];
    out->from = mem_alloc(e->all.n, sizeof *out->from);
    for (size_t i = 0; i < e->all.n; i++)
        out->from[next[e->all.at[i].to]++] = e->all.at[i].from;
    assert(out->first[h->n_txns] == e->all.n);
}

void
predecessors_free(struct predecessors *p)
{
    mem_free(p->first);
    mem_free(p->from);
    *p = (struct predecessors){0};
}
