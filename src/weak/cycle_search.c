/* cycle_search.c -- see cycle_search.h.
 *
 * The weight of a cycle says how hard it is to explain: an inferred edge weighs
 * more than any number of others, and an edge of the assignment more than any
 * number of steps within a session, which are shown as one step.
 *
 * The lightest cycle through a node is found by Dijkstra's algorithm, cut off
 * at the weight of the best cycle so far.  It goes backwards along the edges.
 * Only ends of edges that go against the sequence are tried as starts, and in
 * components so large that even that takes long, only the first of them.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/cycle_search.h"

static const uint64_t weights[] = {
    [EDGE_SO] = 1,
    [EDGE_WR] = UINT64_C(1) << 31,
    [EDGE_WW] = UINT64_C(1) << 31,
    [EDGE_CO] = UINT64_C(1) << 52,
};

void
cycle_search_init(struct cycle_search *s, const struct commit_graph *p,
                  const struct components *c)
{
    const uint32_t n = p->h->n_txns;
    *s = (struct cycle_search){.p = p, .c = c, .best = UINT64_MAX};
    s->weight = mem_alloc(n, sizeof *s->weight);
    memset(s->weight, 0xff, n * sizeof *s->weight); // UINT64_MAX
    s->edge = mem_alloc(n, sizeof *s->edge);
}

void
cycle_search_free(struct cycle_search *s)
{
    mem_free(s->weight);
    mem_free(s->edge);
    vec_free(&s->touched);
    vec_free(&s->heap);
    vec_free(&s->cycle);
}

/* --- a heap by weight ------------------------------------------------------*/

static void
heap_push(struct cycle_search *s, struct cycle_heap_entry e)
{
    vec_push(&s->heap, e);
    size_t i = s->heap.n - 1;
    for (; i && s->heap.at[(i - 1) / 2].weight > e.weight; i = (i - 1) / 2)
        s->heap.at[i] = s->heap.at[(i - 1) / 2];
    s->heap.at[i] = e;
}

static struct cycle_heap_entry
heap_pop(struct cycle_search *s)
{
    assert(s->heap.n);
    const struct cycle_heap_entry top = s->heap.at[0];
    const struct cycle_heap_entry e = vec_pop(&s->heap);
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

/* --- the search
 * -------------------------------------------------------------*/

/* Note the cycle that 'closing', an edge from the start to u, and the way from
 * u back to the start make. */
static void
note_cycle(struct cycle_search *s, txn_id start, txn_id u, size_t closing)
{
    vec_clear(&s->cycle);
    vec_push(&s->cycle, closing);
    while (u != start) {
        vec_push(&s->cycle, s->edge[u]);
        u = commit_graph_target(s->p, s->edge[u]);
    }
    assert(s->cycle.n >= 2); // no edge leads from a transaction to itself
}

/* Whether the search may go back along an edge from u to t. */
static bool
may_pass(const struct cycle_search *s, txn_id start, txn_id t, txn_id u)
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

void
cycle_search_through(struct cycle_search *s, txn_id start)
{
    const struct commit_graph *p = s->p;
    const size_t before = s->work;
    assert(!s->touched.n && s->c->of[start]);
    vec_clear(&s->heap);
    s->weight[start] = 0;
    vec_push(&s->touched, start);
    heap_push(s, (struct cycle_heap_entry){0, start});
    while (s->heap.n) {
        const struct cycle_heap_entry e = heap_pop(s);
        assert(e.weight >= s->weight[e.txn]);
        if (e.weight >= s->best)
            break;
        if (e.weight > s->weight[e.txn])
            continue;
        for (size_t i = p->first[e.txn]; i < p->first[e.txn + 1]; i++) {
            const txn_id u = p->from[i];
            const uint64_t sum = e.weight + weights[commit_graph_kind(p, i)];
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
                heap_push(s, (struct cycle_heap_entry){sum, u});
            }
        }
    }
    s->visited += s->work - before;
    while (s->touched.n)
        s->weight[vec_pop(&s->touched)] = UINT64_MAX;
}

/* Whether some edge into t goes against the sequence. */
static bool
is_end_of_back_edge(const struct commit_graph *p, txn_id t)
{
    const uint32_t *position = p->g->sequence.position;
    for (size_t i = p->first[t]; i < p->first[t + 1]; i++)
        if (position[p->from[i]] > position[t])
            return true;
    return false;
}

bool
cycle_search_is_start(const struct cycle_search *s, txn_id t)
{
    return s->p->g->cyclic || is_end_of_back_edge(s->p, t);
}

void
cycle_search_component(struct cycle_search *s, uint32_t i)
{
    const struct components *c = s->c;
    assert(i + 1 < c->starts.n);
    s->best = UINT64_MAX;
    s->work = 0;
    for (uint32_t j = c->starts.at[i]; j < c->starts.at[i + 1]; j++) {
        const txn_id t = c->nodes.at[j];
        if (s->best != UINT64_MAX && s->work > TUNE_CYCLE_SEARCH_WORK)
            break;
        if (cycle_search_is_start(s, t))
            cycle_search_through(s, t);
    }
    assert(s->best != UINT64_MAX);
}
