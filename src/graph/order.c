/* order.c -- Pearce and Kelly's dynamic topological order.
 *
 * An edge u -> v with rank[v] < rank[u] can only disturb points with ranks in
 * between.  Those reached from v and those that reach u, within these ranks,
 * redistribute their ranks: first the latter, then the former, each group in
 * its old order.  Removing an edge needs no work, so backtracking is free and
 * the order remembers where the search has been.
 *
 * The search from v is breadth first, so that a path to u is a shortest one:
 * short cycles make short clauses.
 *
 * D. J. Pearce and P. H. J. Kelly, "A dynamic topological sort algorithm for
 * directed acyclic graphs", 2006.
 *
 * SPDX-License-Identifier: MIT */
#include "graph/order.h"

#include "base/container/sorted.h"
#include "base/paranoid.h"

#include <stdlib.h>

void
order_init(struct order *o, struct chains *g, const uint32_t *at)
{
    *o = (struct order){.g = g, .changes = 1};
    o->rank = mem_alloc(g->n, sizeof *o->rank);
    o->at = mem_alloc(g->n, sizeof *o->at);
    for (uint32_t i = 0; i < g->n; i++) {
        assert(at[i] < g->n);
        o->at[i] = at[i];
        o->rank[at[i]] = i;
    }
    o->is_moved = mem_calloc(g->n, sizeof *o->is_moved);
    o->stamp = mem_calloc(g->n, sizeof *o->stamp);
    o->came = mem_alloc(g->n, sizeof *o->came);
    PARANOID(order_check(o));
}

void
order_free(struct order *o)
{
    mem_free(o->rank);
    mem_free(o->at);
    vec_free(&o->moved);
    mem_free(o->is_moved);
    mem_free(o->stamp);
    mem_free(o->came);
    vec_free(&o->forward);
    vec_free(&o->backward);
    vec_free(&o->ranks);
    *o = (struct order){0};
}

static void
visit(struct order *o, u32_vec *list, uint32_t p, uint32_t from)
{
    if (o->stamp[p] == o->epoch)
        return;
    o->stamp[p] = o->epoch;
    o->came[p] = from;
    vec_push(list, p);
}

/* Collect what v reaches up to u's rank; true if u is among it. */
static bool
search_forward(struct order *o, uint32_t v, uint32_t u)
{
    const struct chains *g = o->g;
    const uint32_t last = o->rank[u];
    vec_clear(&o->forward);
    o->epoch = capacity_epoch(o->epoch, o->stamp, g->n);
    visit(o, &o->forward, v, v);
    for (size_t i = 0; i < o->forward.n; i++) {
        const uint32_t p = o->forward.at[i];
        if (p == u)
            return true;
        if (chains_has_next(g, p) && o->rank[p + 1] <= last)
            visit(o, &o->forward, p + 1, p);
        struct chain_walk w = chains_out(g, p);
        for (uint32_t to; chains_next_out(g, &w, &to);)
            if (o->rank[to] <= last)
                visit(o, &o->forward, to, p);
    }
    return false;
}

/* Collect what reaches u from v's rank on.  None of it was visited
 * forward, because v does not reach u; so both searches can share stamps. */
static void
search_backward(struct order *o, uint32_t u, uint32_t v)
{
    const struct chains *g = o->g;
    const uint32_t first = o->rank[v];
    vec_clear(&o->backward);
    visit(o, &o->backward, u, u);
    for (size_t i = 0; i < o->backward.n; i++) {
        const uint32_t p = o->backward.at[i];
        if (chains_has_previous(g, p) && o->rank[p - 1] >= first)
            visit(o, &o->backward, p - 1, p);
        struct chain_walk w = chains_in(g, p);
        for (uint32_t from; chains_next_in(g, &w, &from);)
            if (o->rank[from] >= first)
                visit(o, &o->backward, from, p);
    }
}

/* Turn points into their ranks, ascending, and add them to o->ranks. */
static void
take_ranks(struct order *o, u32_vec *points)
{
    for (size_t i = 0; i < points->n; i++)
        points->at[i] = o->rank[points->at[i]];
    qsort(points->at, points->n, sizeof *points->at, sorted_compare);
    for (size_t i = 0; i < points->n; i++)
        vec_push(&o->ranks, points->at[i]);
}

static void
redistribute(struct order *o)
{
    vec_clear(&o->ranks);
    take_ranks(o, &o->backward);
    take_ranks(o, &o->forward);
    qsort(o->ranks.at, o->ranks.n, sizeof *o->ranks.at, sorted_compare);
    assert(o->ranks.n == o->backward.n + o->forward.n);
    // Both lists now hold old ranks; name the points before any rank changes.
    for (size_t i = 0; i < o->backward.n; i++)
        o->backward.at[i] = o->at[o->backward.at[i]];
    for (size_t i = 0; i < o->forward.n; i++)
        o->forward.at[i] = o->at[o->forward.at[i]];
    for (size_t i = 0; i < o->ranks.n; i++) {
        const uint32_t p = i < o->backward.n ? o->backward.at[i]
                                             : o->forward.at[i - o->backward.n];
        assert(!i || o->ranks.at[i - 1] < o->ranks.at[i]);
        if (!o->is_moved[p]) {
            o->is_moved[p] = 1;
            vec_push(&o->moved, ((struct moved_point){p, o->rank[p]}));
        }
        o->at[o->ranks.at[i]] = p;
        o->rank[p] = o->ranks.at[i];
    }
}

/* The hop from p to the point 'to', which it has an edge to: down the chain,
 * or along the oldest edge, which depends on least. */
static struct hop
find_hop(const struct chains *g, uint32_t p, uint32_t to)
{
    struct hop h = {p, to, EDGE_NONE};
    if (to == p + 1 && chains_has_next(g, p))
        return h;
    for (uint32_t e = g->out[p]; e != EDGE_NONE; e = g->edges.at[e].next_out)
        if (g->edges.at[e].to == to)
            h.edge = e;
    assert(h.edge != EDGE_NONE);
    return h;
}

/* The path that search_forward found to u, first hop first. */
static void
copy_path(const struct order *o, uint32_t u, hop_vec *path)
{
    const size_t first = path->n;
    for (uint32_t p = u; o->came[p] != p; p = o->came[p])
        vec_push(path, find_hop(o->g, o->came[p], p));
    for (size_t i = first, j = path->n; i + 1 < j; i++) {
        const struct hop swap = path->at[i];
        path->at[i] = path->at[--j];
        path->at[j] = swap;
    }
}

bool
order_add(struct order *o, uint32_t u, uint32_t v, hop_vec *path)
{
    assert(u < o->g->n && v < o->g->n && u != v);
    if (o->rank[v] < o->rank[u]) {
        const bool cycle = search_forward(o, v, u);
        o->visits += o->forward.n;
        if (cycle) {
            copy_path(o, u, path);
            assert(path->n && vec_top(path).to == u);
            return false;
        }
        search_backward(o, u, v);
        o->visits += o->backward.n;
        redistribute(o);
        o->changes++;
    }
    assert(o->rank[u] < o->rank[v]);
    chains_add(o->g, u, v);
    PARANOID(order_check(o));
    return true;
}

void
order_clear_moved(struct order *o)
{
    for (size_t i = 0; i < o->moved.n; i++)
        o->is_moved[o->moved.at[i].point] = 0;
    vec_clear(&o->moved);
}

void
order_check(const struct order *o)
{
    if (o->g->n > PARANOID_SIZE)
        return;
    for (uint32_t p = 0; p < o->g->n; p++) {
        ENSURE(o->at[o->rank[p]] == p);
        ENSURE(!chains_has_previous(o->g, p) || o->rank[p - 1] < o->rank[p]);
    }
    for (size_t e = 0; e < o->g->edges.n; e++)
        ENSURE(o->rank[o->g->edges.at[e].from] < o->rank[o->g->edges.at[e].to]);
}
