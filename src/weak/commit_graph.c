/* commit_graph.c -- see commit_graph.h.
 *
 * Components are found by Tarjan's algorithm with a stack of its own; R. E.
 * Tarjan, "Depth-first search and linear graph algorithms", 1972.  It follows
 * the edges backwards, as they are stored, which gives the same components.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/commit_graph.h"

/* --- the graph ------------------------------------------------------------*/

enum edge_kind
commit_graph_kind(const struct commit_graph *p, size_t edge)
{
    assert(edge < p->first[p->h->n_txns]);
    const uint32_t which = p->which[edge];
    return which == COMMIT_GRAPH_SESSION ? EDGE_SO
           : which == COMMIT_GRAPH_READ  ? EDGE_WR
           : which < p->edges->listed    ? EDGE_WW
                                         : EDGE_CO;
}

static void
add(struct commit_graph *p, txn_id from, txn_id to, uint32_t which)
{
    assert(from < p->h->n_txns && to < p->h->n_txns && from != to);
    // While first[t] counts, the arrays are not there yet.
    if (p->from) {
        p->from[p->first[to]] = from;
        p->which[p->first[to]] = which;
    }
    p->first[to]++;
}

static void
add_all(struct commit_graph *p, const struct edges *edges)
{
    const struct history *h = p->h;
    const struct writer_assignment *r = &p->g->assignment;
    txn_id before = TXN_NONE;
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (!r->counts[t])
            continue;
        if (before != TXN_NONE && h->txn_session[before] == h->txn_session[t])
            add(p, before, t, COMMIT_GRAPH_SESSION);
        before = t;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_external_read(h, op) &&
                assigned_writer(r, op) != TXN_INIT)
                add(p, assigned_writer(r, op), t, COMMIT_GRAPH_READ);
    }
    for (size_t i = 0; i < edges->all.n; i++)
        add(p, edges->all.at[i].from, edges->all.at[i].to, (uint32_t)i);
}

void
commit_graph_init(struct commit_graph *p, const struct ordered_assignment *g,
                  const struct edges *edges)
{
    const struct history *h = g->assignment.h;
    capacity_want(CAPACITY_EDGES, edges->all.n);
    *p = (struct commit_graph){.g = g, .h = h, .edges = edges};
    p->first = mem_calloc((size_t)h->n_txns + 1, sizeof *p->first);
    add_all(p, edges);
    size_t sum = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        const size_t count = p->first[t];
        p->first[t] = sum;
        sum += count;
    }
    p->from = mem_alloc(sum, sizeof *p->from);
    p->which = mem_alloc(sum, sizeof *p->which);
    add_all(p, edges);
    // Each first[t] has moved to where that of t + 1 belongs.
    memmove(p->first + 1, p->first, h->n_txns * sizeof *p->first);
    p->first[0] = 0;
    assert(p->first[h->n_txns] == sum);
}

void
commit_graph_free(struct commit_graph *p)
{
    mem_free(p->first);
    mem_free(p->from);
    mem_free(p->which);
}

txn_id
commit_graph_target(const struct commit_graph *p, size_t edge)
{
    size_t low = 0, high = p->h->n_txns;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (p->first[middle] <= edge)
            low = middle;
        else
            high = middle;
    }
    assert(p->first[low] <= edge && edge < p->first[low + 1]);
    return (txn_id)low;
}

/* --- components -----------------------------------------------------------*/

struct tarjan {
    const struct commit_graph *p;
    struct components *c;
    uint32_t *low; // by transaction: 0 = not met
    size_t *next;
    uint32_t met;
    u32_vec path; // from the root to the present node
    u32_vec open; // met, and not in a component yet
};

static void
enter(struct tarjan *s, txn_id t)
{
    s->low[t] = ++s->met;
    s->next[t] = s->p->first[t];
    vec_push(&s->path, t);
    vec_push(&s->open, t);
}

/* t and everything above it on 'open' is a component. */
static void
close_component(struct tarjan *s, txn_id t)
{
    struct components *c = s->c;
    const size_t start = c->nodes.n;
    assert(!c->of[t] && s->open.n);
    c->n++;
    txn_id u;
    do {
        u = vec_pop(&s->open);
        c->of[u] = c->n;
        vec_push(&c->nodes, u);
    } while (u != t);
    if (c->nodes.n == start + 1)
        c->nodes.n = start; // one node, and no edge leads to itself
    else
        vec_push(&c->starts, (uint32_t)start);
}

static void
search_from(struct tarjan *s, txn_id root)
{
    enter(s, root);
    u32_vec order = {0}; // when the nodes on 'path' were met
    vec_push(&order, s->met);
    while (s->path.n) {
        const txn_id t = vec_top(&s->path);
        if (s->next[t] < s->p->first[t + 1]) {
            const txn_id u = s->p->from[s->next[t]++];
            if (!s->low[u]) {
                enter(s, u);
                vec_push(&order, s->met);
            } else if (!s->c->of[u] && s->low[u] < s->low[t]) {
                s->low[t] = s->low[u];
            }
            continue;
        }
        if (s->low[t] == vec_pop(&order))
            close_component(s, t);
        (void)vec_pop(&s->path);
        if (s->path.n && s->low[t] < s->low[vec_top(&s->path)] && !s->c->of[t])
            s->low[vec_top(&s->path)] = s->low[t];
    }
    vec_free(&order);
}

void
components_find(const struct commit_graph *p, struct components *c)
{
    const struct history *h = p->h;
    *c = (struct components){0};
    c->of = mem_calloc(h->n_txns, sizeof *c->of);
    struct tarjan s = {.p = p, .c = c};
    s.low = mem_calloc(h->n_txns, sizeof *s.low);
    s.next = mem_alloc(h->n_txns, sizeof *s.next);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (p->g->assignment.counts[t] && !s.low[t])
            search_from(&s, t);
    assert(!s.path.n && !s.open.n);
    mem_free(s.low);
    mem_free(s.next);
    vec_free(&s.path);
    vec_free(&s.open);
    vec_push(&c->starts, (uint32_t)c->nodes.n);
    assert(c->starts.n == 1 || c->nodes.n >= 2 * (c->starts.n - 1));
}

void
components_free(struct components *c)
{
    mem_free(c->of);
    vec_free(&c->nodes);
    vec_free(&c->starts);
}
