/* chains.c -- see chains.h.
 *
 * Sorting removes points whose predecessors are all removed (Kahn, 1962).
 * Points on a cycle are never removed, and each point that stays has a
 * predecessor that stays; so walking backwards from any of them finds a cycle.
 *
 * SPDX-License-Identifier: MIT */
#include "graph/chains.h"

#include "base/limits/context.h"
#include "base/paranoid.h"

void
chains_init(struct chains *g, const uint32_t *lengths, uint32_t n_chains)
{
    *g = (struct chains){.n_chains = n_chains};
    g->first = mem_alloc((size_t)n_chains + 1, sizeof *g->first);
    for (uint32_t c = 0; c < n_chains; c++) {
        g->first[c] = g->n;
        capacity_want(CAPACITY_POINTS, (uint64_t)g->n + lengths[c]);
        g->n += lengths[c];
    }
    g->first[n_chains] = g->n;
    g->seat = mem_alloc(g->n, sizeof *g->seat);
    for (uint32_t c = 0; c < n_chains; c++)
        for (uint32_t p = g->first[c]; p < g->first[c + 1]; p++)
            g->seat[p] = (struct seat){c, p - g->first[c]};
    g->out = mem_alloc(g->n, sizeof *g->out);
    g->in = mem_alloc(g->n, sizeof *g->in);
    memset(g->out, 0xff, g->n * sizeof *g->out);
    memset(g->in, 0xff, g->n * sizeof *g->in);
}

void
chains_copy(struct chains *to, const struct chains *from)
{
    uint32_t *lengths = mem_alloc(from->n_chains, sizeof *lengths);
    for (uint32_t c = 0; c < from->n_chains; c++)
        lengths[c] = from->first[c + 1] - from->first[c];
    chains_init(to, lengths, from->n_chains);
    mem_free(lengths);
    for (size_t e = 0; e < from->edges.n; e++)
        chains_add(to, from->edges.at[e].from, from->edges.at[e].to);
    assert(to->n == from->n && to->edges.n == from->edges.n);
}

void
chains_free(struct chains *g)
{
    mem_free(g->first);
    mem_free(g->seat);
    mem_free(g->out);
    mem_free(g->in);
    mem_free(g->out_first);
    mem_free(g->out_to);
    mem_free(g->in_first);
    mem_free(g->in_from);
    vec_free(&g->edges);
    *g = (struct chains){0};
}

uint32_t
chains_add(struct chains *g, uint32_t from, uint32_t to)
{
    assert(from < g->n && to < g->n && from != to);
    const uint32_t e = capacity_index(CAPACITY_EDGES, g->edges.n);
    context_poll_at(e);
    vec_push(&g->edges,
             ((struct chain_edge){from, to, g->out[from], g->in[to]}));
    g->out[from] = g->in[to] = e;
    return e;
}

void
chains_pop(struct chains *g)
{
    assert(g->edges.n > g->frozen);
    const struct chain_edge e = vec_pop(&g->edges);
    assert(g->out[e.from] == g->edges.n && g->in[e.to] == g->edges.n); // (C1)
    g->out[e.from] = e.next_out;
    g->in[e.to] = e.next_in;
}

void
chains_freeze(struct chains *g)
{
    const size_t n = g->edges.n, bytes = ((size_t)g->n + 2) * sizeof(uint32_t);
    g->out_first = mem_realloc(g->out_first, bytes, 1);
    g->in_first = mem_realloc(g->in_first, bytes, 1);
    memset(g->out_first, 0, bytes);
    memset(g->in_first, 0, bytes);
    g->out_to = mem_realloc(g->out_to, n, sizeof *g->out_to);
    g->in_from = mem_realloc(g->in_from, n, sizeof *g->in_from);
    uint32_t *out_next = g->out_first + 1, *in_next = g->in_first + 1;
    for (size_t e = 0; e < n; e++) {
        context_poll_at(e);
        out_next[g->edges.at[e].from + 1]++;
        in_next[g->edges.at[e].to + 1]++;
    }
    for (uint32_t p = 0; p < g->n; p++) {
        out_next[p + 1] += out_next[p];
        in_next[p + 1] += in_next[p];
    }
    for (size_t e = 0; e < n; e++) {
        context_poll_at(e);
        const struct chain_edge *edge = &g->edges.at[e];
        g->out_to[out_next[edge->from]++] = edge->to;
        g->in_from[in_next[edge->to]++] = edge->from;
    }
    assert(!g->n || g->out_first[g->n] == n);
    assert(!g->n || g->in_first[g->n] == n);
    g->frozen = (uint32_t)n;
    PARANOID(chains_check(g));
}

/* The number of edges in the list that begins with edge e, each of which must
 * end at p. */
static size_t
check_list(const struct chains *g, uint32_t p, uint32_t e, bool out)
{
    size_t n = 0;
    while (e != EDGE_NONE) {
        const struct chain_edge *edge = &g->edges.at[e];
        const uint32_t next = out ? edge->next_out : edge->next_in;
        ENSURE(e < g->edges.n && (next == EDGE_NONE || next < e)); // (C1)
        ENSURE((out ? edge->from : edge->to) == p);
        e = next;
        n++;
    }
    return n;
}

void
chains_check(const struct chains *g)
{
    size_t out = 0, in = 0;
    ENSURE(g->first[g->n_chains] == g->n);
    for (uint32_t p = 0; p < g->n; p++) {
        ENSURE(g->first[g->seat[p].chain] + g->seat[p].place == p);
        out += check_list(g, p, g->out[p], true);
        in += check_list(g, p, g->in[p], false);
    }
    ENSURE(out == g->edges.n && in == g->edges.n);
    ENSURE(g->frozen <= g->edges.n);
}

static void
count_predecessors(const struct chains *g, uint32_t *waiting)
{
    for (uint32_t p = 0; p < g->n; p++)
        waiting[p] = chains_has_previous(g, p);
    for (size_t e = 0; e < g->edges.n; e++) {
        context_poll_at(e);
        waiting[g->edges.at[e].to]++;
    }
}

/* A hop into p from a point that stays. */
static struct hop
hop_from_staying(const struct chains *g, const uint32_t *waiting, uint32_t p)
{
    if (chains_has_previous(g, p) && waiting[p - 1])
        return (struct hop){p - 1, p, EDGE_NONE};
    uint32_t e = g->in[p];
    assert(e != EDGE_NONE);
    while (!waiting[g->edges.at[e].from]) {
        e = g->edges.at[e].next_in;
        assert(e != EDGE_NONE); // what stays has a predecessor that stays
    }
    return (struct hop){g->edges.at[e].from, p, e};
}

static void
find_cycle(const struct chains *g, const uint32_t *waiting, hop_vec *cycle)
{
    uint32_t p = 0;
    while (!waiting[p])
        p++;
    uint32_t *visited =
        mem_calloc(g->n, sizeof *visited); // 1 + index into walk
    hop_vec walk = {0};
    while (!visited[p]) {
        visited[p] = (uint32_t)walk.n + 1;
        const struct hop h = hop_from_staying(g, waiting, p);
        vec_push(&walk, h);
        p = h.from;
    }
    for (size_t i = walk.n; i >= visited[p]; i--)
        vec_push(cycle, walk.at[i - 1]);
    assert(cycle->at[0].from == vec_top(cycle).to);
    vec_free(&walk);
    mem_free(visited);
}

bool
chains_sort(const struct chains *g, uint32_t *order, hop_vec *cycle)
{
    uint32_t *waiting = mem_alloc(g->n, sizeof *waiting);
    count_predecessors(g, waiting);
    uint32_t n = 0;
    for (uint32_t p = 0; p < g->n; p++)
        if (!waiting[p])
            order[n++] = p;
    for (uint32_t i = 0; i < n; i++) {
        context_poll_at(i);
        const uint32_t p = order[i];
        if (chains_has_next(g, p) && --waiting[p + 1] == 0)
            order[n++] = p + 1;
        struct chain_walk w = chains_out(g, p);
        for (uint32_t to; chains_next_out(g, &w, &to);)
            if (--waiting[to] == 0)
                order[n++] = to;
    }
    if (n < g->n)
        find_cycle(g, waiting, cycle);
    mem_free(waiting);
    return n == g->n;
}
