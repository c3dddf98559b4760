/* witness.c -- short cycles, one per strongly connected component.
 *
 * The graph has the edges of session order (to the next only), of the reading
 * and the inferred ones, all stored backwards: 'from' by 'to'.  Components are
 * found by Tarjan's algorithm with its own stack; R. E. Tarjan, "Depth-first
 * search and linear graph algorithms", 1972.
 *
 * Within a component, cycles are weighed: an inferred edge is heavier than any
 * number of others, one of the reading heavier than any number of steps within
 * a session, which a reader sees as one step anyway.  The lightest cycle
 * through a node is found by Dijkstra's algorithm, cut off at the weight of
 * the best cycle so far.  Every cycle has an edge that goes against the
 * sequence, if there is one, so only the ends of such edges are tried; and in
 * components so large that even that takes long, only the first of them.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/witness.h"

#include "weak/edge_reason.h"

enum { WORK = 1 << 24 }; // edges looked at for one component, about

static const uint64_t weights[] = {
    [EDGE_SO] = 1,
    [EDGE_WR] = UINT64_C(1) << 31,
    [EDGE_WW] = UINT64_C(1) << 31,
    [EDGE_CO] = UINT64_C(1) << 52,
};

struct graph {
    const struct ordered_reading *g;
    const struct history *h;
    size_t *first; // by transaction, n_txns + 1 of them
    txn_id *from;
    uint32_t *which; // an index into edges->all, or BY_SESSION or BY_READ
    const struct edges *edges;
};

#define BY_SESSION UINT32_MAX
#define BY_READ (UINT32_MAX - 1)

/* --- the graph ------------------------------------------------------------*/

static enum edge_kind
kind_of(const struct graph *p, size_t edge)
{
    const uint32_t which = p->which[edge];
    return which == BY_SESSION        ? EDGE_SO
           : which == BY_READ         ? EDGE_WR
           : which < p->edges->listed ? EDGE_WW
                                      : EDGE_CO;
}

static void
graph_add(struct graph *p, txn_id from, txn_id to, uint32_t which)
{
    // While first[t] counts, the arrays are not there yet.
    if (p->from) {
        p->from[p->first[to]] = from;
        p->which[p->first[to]] = which;
    }
    p->first[to]++;
}

static void
graph_add_all(struct graph *p, const struct edges *edges)
{
    const struct history *h = p->h;
    const struct reading *r = &p->g->reading;
    txn_id before = TXN_NONE;
    for (txn_id t = 0; t < h->n_txns; t++) {
        if (!r->counts[t])
            continue;
        if (before != TXN_NONE && h->txn_session[before] == h->txn_session[t])
            graph_add(p, before, t, BY_SESSION);
        before = t;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
            if (op_is_external_read(h, op) && reading_writer(r, op) != TXN_INIT)
                graph_add(p, reading_writer(r, op), t, BY_READ);
    }
    for (size_t i = 0; i < edges->all.n; i++)
        graph_add(p, edges->all.at[i].from, edges->all.at[i].to, (uint32_t)i);
}

static void
graph_init(struct graph *p, const struct ordered_reading *g,
           const struct edges *edges)
{
    const struct history *h = g->reading.h;
    capacity_want(CAPACITY_EDGES, edges->all.n);
    *p = (struct graph){.g = g, .h = h, .edges = edges};
    p->first = mem_calloc((size_t)h->n_txns + 1, sizeof *p->first);
    graph_add_all(p, edges);
    size_t sum = 0;
    for (txn_id t = 0; t < h->n_txns; t++) {
        const size_t count = p->first[t];
        p->first[t] = sum;
        sum += count;
    }
    p->from = mem_alloc(sum, sizeof *p->from);
    p->which = mem_alloc(sum, sizeof *p->which);
    graph_add_all(p, edges);
    // Each first[t] has moved to where that of t + 1 belongs.
    memmove(p->first + 1, p->first, h->n_txns * sizeof *p->first);
    p->first[0] = 0;
}

static void
graph_free(struct graph *p)
{
    mem_free(p->first);
    mem_free(p->from);
    mem_free(p->which);
}

/* --- components -----------------------------------------------------------*/

struct components {
    uint32_t *of; // by transaction: a number from 1
    uint32_t n;
    u32_vec nodes;  // of the components with a cycle, one after the other
    u32_vec starts; // where each begins in 'nodes'
};

struct tarjan {
    const struct graph *p;
    struct components *c;
    uint32_t *low; // by transaction: 0 = not met
    size_t *next;
    uint32_t met;
    u32_vec path, open;
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

static void
components_find(const struct graph *p, struct components *c)
{
    const struct history *h = p->h;
    *c = (struct components){0};
    c->of = mem_calloc(h->n_txns, sizeof *c->of);
    struct tarjan s = {.p = p, .c = c};
    s.low = mem_calloc(h->n_txns, sizeof *s.low);
    s.next = mem_alloc(h->n_txns, sizeof *s.next);
    for (txn_id t = 0; t < h->n_txns; t++)
        if (p->g->reading.counts[t] && !s.low[t])
            search_from(&s, t);
    mem_free(s.low);
    mem_free(s.next);
    vec_free(&s.path);
    vec_free(&s.open);
    vec_push(&c->starts, (uint32_t)c->nodes.n);
}

static void
components_free(struct components *c)
{
    mem_free(c->of);
    vec_free(&c->nodes);
    vec_free(&c->starts);
}

/* --- the lightest cycle ---------------------------------------------------*/

struct entry {
    uint64_t weight;
    txn_id txn;
};

struct shortest {
    const struct graph *p;
    const struct components *c;
    uint64_t *weight; // by transaction: of the way from it to the start
    size_t *edge;     // by transaction: the edge that leads on from it
    u32_vec touched;
    VEC(struct entry) heap;
    size_t work;
    bool narrow; // go against the sequence once only, from the start
    uint64_t best;
    VEC(size_t) cycle; // edges of the best cycle, in order
};

static void
heap_push(struct shortest *s, struct entry e)
{
    vec_push(&s->heap, e);
    size_t i = s->heap.n - 1;
    for (; i && s->heap.at[(i - 1) / 2].weight > e.weight; i = (i - 1) / 2)
        s->heap.at[i] = s->heap.at[(i - 1) / 2];
    s->heap.at[i] = e;
}

static struct entry
heap_pop(struct shortest *s)
{
    const struct entry top = s->heap.at[0];
    const struct entry e = vec_pop(&s->heap);
    const size_t n = s->heap.n;
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n)
            break;
        if (child + 1 < n &&
            s->heap.at[child + 1].weight < s->heap.at[child].weight)
            child++;
        if (s->heap.at[child].weight >= e.weight)
            break;
        s->heap.at[i] = s->heap.at[child];
        i = child;
    }
    if (n)
        s->heap.at[i] = e;
    return top;
}

/* Note the cycle that 'closing', an edge from the start to u, and the way from
 * u back to the start make. */
static void
note_cycle(struct shortest *s, txn_id start, txn_id u, size_t closing)
{
    vec_clear(&s->cycle);
    vec_push(&s->cycle, closing);
    while (u != start) {
        // The edge that leads on from u ends where the next is looked up.
        const size_t e = s->edge[u];
        vec_push(&s->cycle, e);
        size_t low = 0, high = s->p->h->n_txns; // whose edge is e?
        while (high - low > 1) {
            const size_t middle = low + (high - low) / 2;
            if (s->p->first[middle] <= e)
                low = middle;
            else
                high = middle;
        }
        u = (txn_id)low;
    }
}

/* Whether the search may go back along an edge from u to t. */
static bool
may_pass(const struct shortest *s, txn_id start, txn_id t, txn_id u)
{
    const uint32_t *position = s->p->g->sequence.position;
    if (s->c->of[u] != s->c->of[start])
        return false;
    if (!s->narrow)
        return true;
    return t == start
               ? position[u] > position[t]
               : position[u] < position[t] && position[u] >= position[start];
}

/* Look for a cycle through 'start' lighter than the best so far.  The search
 * goes backwards along the edges. */
static void
search_cycle(struct shortest *s, txn_id start)
{
    const struct graph *p = s->p;
    vec_clear(&s->heap);
    s->weight[start] = 0;
    vec_push(&s->touched, start);
    heap_push(s, (struct entry){0, start});
    while (s->heap.n) {
        const struct entry e = heap_pop(s);
        if (e.weight >= s->best)
            break;
        if (e.weight > s->weight[e.txn])
            continue;
        for (size_t i = p->first[e.txn]; i < p->first[e.txn + 1]; i++) {
            const txn_id u = p->from[i];
            const uint64_t sum = e.weight + weights[kind_of(p, i)];
            s->work++;
            if (sum >= s->best || !may_pass(s, start, e.txn, u))
                continue;
            if (u == start) {
                s->best = sum;
                note_cycle(s, start, e.txn, i);
            } else if (sum < s->weight[u]) {
                s->weight[u] = sum;
                s->edge[u] = i;
                vec_push(&s->touched, u);
                heap_push(s, (struct entry){sum, u});
            }
        }
    }
    while (s->touched.n)
        s->weight[vec_pop(&s->touched)] = UINT64_MAX;
}

/* Whether some edge into t goes against the sequence. */
static bool
is_end_of_back_edge(const struct graph *p, txn_id t)
{
    const uint32_t *position = p->g->sequence.position;
    for (size_t i = p->first[t]; i < p->first[t + 1]; i++)
        if (position[p->from[i]] > position[t])
            return true;
    return false;
}

/* Whether cycles through t are worth looking for. */
static bool
is_start(const struct shortest *s, txn_id t)
{
    return s->p->g->cyclic || is_end_of_back_edge(s->p, t);
}

/* Make s->cycle a light cycle of component i. */
static void
lightest_cycle(struct shortest *s, uint32_t i)
{
    const struct components *c = s->c;
    s->best = UINT64_MAX;
    s->work = 0;
    for (uint32_t j = c->starts.at[i]; j < c->starts.at[i + 1]; j++) {
        const txn_id t = c->nodes.at[j];
        if (s->best != UINT64_MAX && s->work > WORK)
            break;
        if (is_start(s, t))
            search_cycle(s, t);
    }
    assert(s->best != UINT64_MAX);
}

/* --- cycles with reasons --------------------------------------------------*/

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

/* The end of edge e is the transaction after it in the cycle. */
static void
tell_cycle(const struct shortest *s, enum level level, struct cycle *out)
{
    const struct graph *p = s->p;
    const size_t n = s->cycle.n;
    // Begin behind an edge that is not of session order, so that steps within
    // a session that meet at the seam are joined as well.
    size_t begin = 0;
    while (begin < n && kind_of(p, s->cycle.at[(begin + n - 1) % n]) == EDGE_SO)
        begin++;
    for (size_t i = 0; i < n; i++) {
        const size_t edge = s->cycle.at[(begin + i) % n];
        struct cycle_edge e = {.from = p->from[edge],
                               .to = p->from[s->cycle.at[(begin + i + 1) % n]],
                               .kind = kind_of(p, edge),
                               .read = ID_NONE,
                               .premise = ID_NONE};
        if (e.kind == EDGE_WR)
            e.read = edge_reason_read(&p->g->reading, e.to, e.from);
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
tell_stale_read(const struct ordered_reading *g, enum level level,
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
tell(const struct shortest *s, enum level level, cycle_vec *out)
{
    struct cycle cycle = {0};
    tell_cycle(s, level, &cycle);
    vec_push(out, cycle);
}

static void
tell_one_each(struct shortest *s, enum level level, size_t most, cycle_vec *out)
{
    for (uint32_t i = 0; i + 1 < s->c->starts.n && i < most; i++) {
        lightest_cycle(s, i);
        tell(s, level, out);
    }
}

/* One cycle for each edge that goes against the sequence, preferably with one
 * such edge only: those are found close by. */
static void
tell_many(struct shortest *s, enum level level, size_t most, cycle_vec *out)
{
    s->narrow = !s->p->g->cyclic;
    for (size_t i = 0; i < s->c->nodes.n && out->n < most && s->work < WORK;
         i++) {
        if (!is_start(s, s->c->nodes.at[i]))
            continue;
        s->best = UINT64_MAX;
        search_cycle(s, s->c->nodes.at[i]);
        if (s->best != UINT64_MAX)
            tell(s, level, out);
    }
    s->narrow = false;
    if (!out->n)
        tell_one_each(s, level, most, out);
}

void
witness_find(const struct ordered_reading *g, enum level level,
             const struct edges *edges, bool many, size_t most, cycle_vec *out)
{
    const struct history *h = g->reading.h;
    for (size_t i = 0; i < (many ? edges->stale.n : edges->stale.n > 0); i++)
        if (out->n < most)
            tell_stale_read(g, level, &edges->stale.at[i], out);
    if (out->n >= most)
        return;
    struct graph p;
    struct components c;
    graph_init(&p, g, edges);
    components_find(&p, &c);
    struct shortest s = {.p = &p, .c = &c};
    s.weight = mem_alloc(h->n_txns, sizeof *s.weight);
    memset(s.weight, 0xff, h->n_txns * sizeof *s.weight);
    s.edge = mem_alloc(h->n_txns, sizeof *s.edge);
    if (many)
        tell_many(&s, level, most, out);
    else
        tell_one_each(&s, level, most - out->n, out);
    mem_free(s.weight);
    mem_free(s.edge);
    vec_free(&s.touched);
    vec_free(&s.heap);
    vec_free(&s.cycle);
    components_free(&c);
    graph_free(&p);
}
