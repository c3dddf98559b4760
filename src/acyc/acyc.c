/* acyc.c -- see acyc.h.
 *
 * Edges go into a dynamic topological order as their literals become true and
 * leave it, last in first out, on backtracking.  An edge that would close a
 * cycle is a conflict; its explanation is the set of literals on a shortest
 * cycle.  Nothing is propagated: reaching conflicts costs less than looking
 * for consequences ahead.
 *
 * The order outlives backtracking, so it holds the best guess so far.  It
 * determines which sign of a variable costs less, and whether a variable needs
 * to be decided at all: if the order agrees with every edge of one of its
 * literals, that literal could be true, and the variable may stay open until
 * the end.
 *
 *   (A1) carried.at[i].inserted says whether the edge is in the graph;
 *   (A2) edge base + i of the graph is carried.at[inserted.at[i]].
 *
 * SPDX-License-Identifier: MIT */
#include "acyc/acyc.h"

#include "base/paranoid.h"

enum { VISIT_STEPS = 4 }; // of a budget: a point has some edges

void
acyc_init(struct acyc *a, struct chains *g, const uint32_t *order)
{
    *a = (struct acyc){.base = (uint32_t)g->edges.n, .leave_open = true};
    order_init(&a->order, g, order);
}

void
acyc_free(struct acyc *a)
{
    order_free(&a->order);
    vec_free(&a->carried);
    vec_free(&a->first);
    vec_free(&a->may_stay_open);
    vec_free(&a->inserted);
    vec_free(&a->levels);
    vec_free(&a->pending);
    vec_free(&a->path);
}

static void
know_var(struct acyc *a, uint32_t v)
{
    while (a->may_stay_open.n <= v) {
        vec_push(&a->may_stay_open, 0);
        vec_push(&a->first, EDGE_NONE);
        vec_push(&a->first, EDGE_NONE);
    }
}

void
acyc_carry(struct acyc *a, lit l, uint32_t from, uint32_t to, uint32_t tag)
{
    assert(!a->levels.n && from != to);
    assert(from < a->order.g->n && to < a->order.g->n);
    know_var(a, lit_var(l));
    const uint32_t c = capacity_index(CAPACITY_CARRIED, a->carried.n);
    vec_push(&a->carried,
             ((struct carried){from, to, tag, a->first.at[l], l, false}));
    a->first.at[l] = c;
}

void
acyc_may_stay_open(struct acyc *a, uint32_t v, bool may)
{
    know_var(a, v);
    a->may_stay_open.at[v] = may;
}

const struct carried *
acyc_carried(const struct acyc *a, uint32_t edge)
{
    assert(edge < a->base + a->inserted.n);
    return edge < a->base ? NULL
                          : &a->carried.at[a->inserted.at[edge - a->base]];
}

static void
decide(void *self)
{
    struct acyc *a = self;
    vec_push(&a->levels, (uint32_t)a->order.g->edges.n);
}

static void
assign(void *self, lit l)
{
    struct acyc *a = self;
    vec_push(&a->pending, l);
}

/* The literals on the cycle that the carried edge c would close. */
static void
explain_cycle(struct acyc *a, uint32_t c, lit_vec *out)
{
    const size_t first = out->n;
    assert(!a->carried.at[c].inserted);
    vec_push(out, a->carried.at[c].owner);
    for (size_t i = 0; i < a->path.n; i++) {
        const uint32_t e = a->path.at[i].edge;
        if (e == EDGE_NONE || e < a->base)
            continue;
        const lit l = acyc_carried(a, e)->owner;
        size_t j = first;
        while (j < out->n && out->at[j] != l)
            j++;
        if (j == out->n)
            vec_push(out, l);
    }
    a->closing = c;
    a->cycles++;
    a->cycle_hops += a->path.n + 1;
    a->cycle_literals += out->n - first;
}

/* Insert the edges of l that are not in yet. */
static bool
insert(struct acyc *a, lit l, lit_vec *out)
{
    know_var(a, lit_var(l));
    for (uint32_t c = a->first.at[l]; c != EDGE_NONE;
         c = a->carried.at[c].next) {
        struct carried *e = &a->carried.at[c];
        if (e->inserted)
            continue;
        vec_clear(&a->path);
        const uint64_t visits = a->order.visits;
        const bool fits = order_add(&a->order, e->from, e->to, &a->path);
        budget_spend(a->budget, VISIT_STEPS * (a->order.visits - visits));
        if (!fits) {
            explain_cycle(a, c, out);
            return false;
        }
        a->insertions++;
        e->inserted = true; // (A1)
        vec_push(&a->inserted, c);
        assert(a->inserted.n + a->base == a->order.g->edges.n); // (A2)
    }
    return true;
}

static bool
propagate(void *self, lit_vec *out)
{
    struct acyc *a = self;
    bool ok = true;
    for (size_t i = 0; ok && i < a->pending.n; i++)
        ok = insert(a, a->pending.at[i], out);
    vec_clear(&a->pending);
    PARANOID(acyc_check(a));
    return ok;
}

static void
explain(void *self, lit l, lit_vec *out)
{
    // Nothing is ever implied.
    (void)self, (void)l, (void)out;
    assert(false);
}

static void
backtrack(void *self, uint32_t level)
{
    struct acyc *a = self;
    vec_clear(&a->pending);
    if (level >= a->levels.n)
        return;
    struct chains *g = a->order.g;
    while (g->edges.n > a->levels.at[level]) {
        chains_pop(g);
        const uint32_t c = vec_pop(&a->inserted);
        assert(a->carried.at[c].inserted); // (A1)
        a->carried.at[c].inserted = false;
    }
    a->levels.n = level;
    PARANOID(acyc_check(a));
}

void
acyc_check(const struct acyc *a)
{
    const struct chains *g = a->order.g;
    size_t inserted = 0;
    ENSURE(g->edges.n == a->base + a->inserted.n);
    for (size_t i = 0; i < a->inserted.n; i++) { // (A2)
        const struct carried *e = &a->carried.at[a->inserted.at[i]];
        ENSURE(e->inserted && g->edges.at[a->base + i].from == e->from &&
               g->edges.at[a->base + i].to == e->to);
    }
    for (size_t c = 0; c < a->carried.n; c++) // (A1)
        inserted += a->carried.at[c].inserted;
    ENSURE(inserted == a->inserted.n);
}

/* How many edges of l the order disagrees with. */
static uint32_t
count_against(const struct acyc *a, lit l)
{
    uint32_t n = 0;
    for (uint32_t c = a->first.at[l]; c != EDGE_NONE; c = a->carried.at[c].next)
        n += a->order.rank[a->carried.at[c].from] >
             a->order.rank[a->carried.at[c].to];
    return n;
}

static enum advice
advise(void *self, uint32_t v)
{
    struct acyc *a = self;
    know_var(a, v);
    const uint32_t yes = count_against(a, lit_make(v, false));
    const uint32_t no = count_against(a, lit_make(v, true));
    if (a->leave_open && a->may_stay_open.at[v] && (!yes || !no))
        return ADVICE_OPEN;
    return yes <= no ? ADVICE_TRUE : ADVICE_FALSE;
}

struct theory
acyc_theory(struct acyc *a)
{
    return (struct theory){"acyclicity", a,       decide,    assign,
                           propagate,    explain, backtrack, advise};
}
