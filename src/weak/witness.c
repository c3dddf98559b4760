/* witness.c -- see witness.h.
 *
 * A read of the initial state that is stale makes a cycle of two edges by
 * itself.  All other cycles are found in the commit graph, where a strongly
 * connected component shows one violation or several that share transactions
 * (AWDIT, PLDI 2025, section 3.4, reports one cycle for each as well).
 *
 * SPDX-License-Identifier: MIT */
#include "weak/witness.h"

#include "weak/cycle_search.h"
#include "weak/edge_reason.h"

/* Append an edge; two steps within a session are one. */
static void
append_edge(const struct history *h, struct cycle *out, struct cycle_edge e)
{
    struct cycle_edge *before = out->edges.n ? &vec_top(&out->edges) : NULL;
    if (before && before->kind == EDGE_SO && e.kind == EDGE_SO &&
        h->txn_session[before->from] == h->txn_session[e.to])
        before->to = e.to;
    else
        vec_push(&out->edges, e);
}

/* Add the edges of the cycle in s->cycle with their reasons. */
static void
add_edges(const struct cycle_search *s, enum level level, struct cycle *out)
{
    const struct commit_graph *p = s->p;
    const size_t n = s->cycle.n;
    // Begin behind an edge that is not of session order, so that steps within
    // a session that meet at the seam are joined as well.
    size_t begin = 0;
    while (begin < n &&
           commit_graph_kind(p, s->cycle.at[(begin + n - 1) % n]) == EDGE_SO)
        begin++;
    for (size_t i = 0; i < n; i++) {
        const size_t edge = s->cycle.at[(begin + i) % n];
        struct cycle_edge e = {.from = p->from[edge],
                               .to = p->from[s->cycle.at[(begin + i + 1) % n]],
                               .kind = commit_graph_kind(p, edge),
                               .read = ID_NONE,
                               .premise = ID_NONE};
        if (e.kind == EDGE_WR)
            e.read = edge_reason_read(&p->g->assignment, e.to, e.from);
        else if (e.kind == EDGE_CO)
            edge_reason_find(p->g, level,
                             p->edges->all.at[p->which[edge]].reader, &e,
                             &out->path);
        append_edge(p->h, out, e);
    }
}

/* Append the cycle of two edges that a stale read of the initial state makes.
 */
static void
add_stale_read(const struct ordered_assignment *g, enum level level,
               const struct edge *stale, cycle_vec *out)
{
    struct cycle cycle = {0};
    struct cycle_edge e = {.from = stale->from,
                           .to = TXN_INIT,
                           .kind = EDGE_CO,
                           .read = ID_NONE,
                           .premise = ID_NONE};
    edge_reason_find(g, level, stale->reader, &e, &cycle.path);
    vec_push(&cycle.edges, e);
    vec_push(&cycle.edges, ((struct cycle_edge){.from = TXN_INIT,
                                                .to = e.from,
                                                .kind = EDGE_SO,
                                                .read = ID_NONE,
                                                .premise = ID_NONE}));
    vec_push(out, cycle);
}

/* Append the cycle in s->cycle. */
static void
add_cycle(const struct cycle_search *s, enum level level, cycle_vec *out)
{
    struct cycle cycle = {0};
    add_edges(s, level, &cycle);
    vec_push(out, cycle);
}

static void
add_one_each(struct cycle_search *s, enum level level, size_t most,
             cycle_vec *out)
{
    for (uint32_t i = 0; i + 1 < s->c->starts.n && i < most; i++) {
        cycle_search_component(s, i);
        add_cycle(s, level, out);
    }
}

/* One cycle for each edge that goes against the sequence, preferably with one
 * such edge only: those are found close by. */
static void
add_many(struct cycle_search *s, enum level level, size_t most, cycle_vec *out)
{
    s->narrow = !s->p->g->cyclic;
    for (size_t i = 0;
         i < s->c->nodes.n && out->n < most && s->work < TUNE_CYCLE_SEARCH_WORK;
         i++) {
        if (!cycle_search_is_start(s, s->c->nodes.at[i]))
            continue;
        s->best = UINT64_MAX;
        cycle_search_through(s, s->c->nodes.at[i]);
        if (s->best != UINT64_MAX)
            add_cycle(s, level, out);
    }
    s->narrow = false;
    if (!out->n)
        add_one_each(s, level, most, out);
}

uint64_t
witness_find(const struct ordered_assignment *g, enum level level,
             const struct edges *edges, bool many, size_t most, cycle_vec *out)
{
    assert(!out->n);
    for (size_t i = 0; i < (many ? edges->stale.n : edges->stale.n > 0); i++)
        if (out->n < most)
            add_stale_read(g, level, &edges->stale.at[i], out);
    if (out->n >= most)
        return 0;
    struct commit_graph p;
    struct components c;
    commit_graph_init(&p, g, edges);
    components_find(&p, &c);
    struct cycle_search s;
    cycle_search_init(&s, &p, &c);
    if (many)
        add_many(&s, level, most, out);
    else
        add_one_each(&s, level, most - out->n, out);
    const uint64_t visited = s.visited;
    cycle_search_free(&s);
    components_free(&c);
    commit_graph_free(&p);
    return visited;
}
