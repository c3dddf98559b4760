/* init_edges.c -- see init_edges.h.
 *
 * Some points of the order of what is known are pivots.  They come just after
 * the readers of initial values.  An edge follows from others if its source
 * reaches a pivot that reaches its target.  What reaches which pivot is a bit
 * each, found in one pass in either direction.
 *
 * SPDX-License-Identifier: MIT */
#include "depend/init_edges.h"

#include "base/limits/context.h"
#include "base/paranoid.h"

enum { PIVOTS = 8 }; // bits of what 'before' and 'after' consist of

struct pivots {
    uint32_t *order;
    uint32_t n, at[PIVOTS]; // places in the order, ascending
    uint8_t *before;        // by point: the pivots that it reaches
    uint8_t *after;         // by point: the pivots that reach it
};

static bool
is_from_init(const struct dependencies *d, read_id r)
{
    const version_id v = d->read_version[r];
    return v != VERSION_NONE && version_is_init(d, v);
}

/* Add the edges of r, unless some pivot of 'reached' reaches the target. */
static void
add(struct dependencies *d, read_id r, const struct pivots *x, uint8_t reached)
{
    const key_id k = read_key(d, r);
    const dense_id reader = d->read_txn[r];
    // The first of each session is enough.
    for (uint32_t i = d->key_first[k] + 1; i < d->key_first[k + 1];) {
        const dense_id t = d->version_txn[d->key_version[i]];
        const uint32_t to = point_commit(d, t);
        if (t != reader && !(reached && (reached & x->after[to])))
            depend_add_edge(d, point_start(d, reader), to,
                            (struct label){EDGE_RW, r, version_of_init(d, k)});
        i = depend_skip_chain(d, k, i + 1, d->g.seat[to].chain);
    }
}

void
init_edges_add(struct dependencies *d, read_id r)
{
    assert(is_from_init(d, r));
    if (!d->one_rw) // else the graph has no rw edges
        add(d, r, NULL, 0);
}

uint64_t
init_edges_bound(const struct dependencies *d)
{
    uint64_t n = 0;
    for (read_id r = 0; !d->one_rw && r < d->n_reads; r++) {
        if (!is_from_init(d, r))
            continue;
        const key_id k = d->read_version[r];
        const uint32_t versions = d->key_first[k + 1] - d->key_first[k];
        n += versions < d->g.n_chains ? versions : d->g.n_chains;
    }
    return n;
}

/* --- pivots --------------------------------------------------------------- */

/* The last place in the order of a reader of an initial value. */
static uint32_t
find_last_reader(const struct dependencies *d, const uint32_t *order)
{
    for (uint32_t i = d->g.n; i--;) {
        context_poll_at(i);
        if (order[i] >= depend_txn_points(d))
            continue;
        const dense_id t = point_txn(d, order[i]);
        for (read_id r = d->read_first[t]; r < d->read_first[t + 1]; r++)
            if (is_from_init(d, r))
                return i;
    }
    return 0;
}

static void
choose_pivots(struct pivots *x, const struct dependencies *d)
{
    const uint64_t last = find_last_reader(d, x->order);
    for (uint64_t i = 1; i <= PIVOTS; i++) {
        const uint64_t place = last / 4 * i + i;
        if (place < d->g.n)
            x->at[x->n++] = (uint32_t)place;
    }
    for (uint32_t i = 0; i < x->n; i++) {
        x->before[x->order[x->at[i]]] |= (uint8_t)(1 << i);
        x->after[x->order[x->at[i]]] |= (uint8_t)(1 << i);
    }
}

static void
pass_on(struct pivots *x, const struct chains *g)
{
    for (uint32_t i = x->n ? x->at[0] : g->n; i < g->n; i++) {
        context_poll_at(i);
        const uint32_t p = x->order[i];
        if (!x->after[p])
            continue;
        if (chains_has_next(g, p))
            x->after[p + 1] |= x->after[p];
        struct chain_walk w = chains_out(g, p);
        for (uint32_t to; chains_next_out(g, &w, &to);)
            x->after[to] |= x->after[p];
    }
    for (uint32_t i = x->n ? x->at[x->n - 1] + 1 : 0; i--;) {
        context_poll_at(i);
        const uint32_t p = x->order[i];
        if (!x->before[p])
            continue;
        if (chains_has_previous(g, p))
            x->before[p - 1] |= x->before[p];
        struct chain_walk w = chains_in(g, p);
        for (uint32_t from; chains_next_in(g, &w, &from);)
            x->before[from] |= x->before[p];
    }
}

void
init_edges_add_missing(struct dependencies *d)
{
    if (d->one_rw)
        return;
    struct pivots x = {0};
    hop_vec cycle = {0};
    x.order = mem_alloc(d->g.n, sizeof *x.order);
    x.before = mem_calloc(d->g.n, sizeof *x.before);
    x.after = mem_calloc(d->g.n, sizeof *x.after);
    if (chains_sort(&d->g, x.order, &cycle)) { // else there is no pivot
        choose_pivots(&x, d);
        pass_on(&x, &d->g);
    }
    for (read_id r = 0; r < d->n_reads; r++)
        if (is_from_init(d, r))
            add(d, r, &x, x.before[point_start(d, d->read_txn[r])]);
    vec_free(&cycle);
    mem_free(x.order);
    mem_free(x.before);
    mem_free(x.after);
    PARANOID(init_edges_check(d));
}

/* Mark what p reaches: a plain search. */
static void
mark_reached(const struct chains *g, uint32_t p, uint8_t *reached)
{
    u32_vec stack = {0};
    memset(reached, 0, g->n);
    vec_push(&stack, p);
    while (stack.n) {
        const uint32_t q = vec_pop(&stack);
        if (reached[q])
            continue;
        reached[q] = 1;
        if (chains_has_next(g, q))
            vec_push(&stack, q + 1);
        for (uint32_t e = g->out[q]; e != EDGE_NONE;
             e = g->edges.at[e].next_out)
            vec_push(&stack, g->edges.at[e].to);
    }
    vec_free(&stack);
}

void
init_edges_check(const struct dependencies *d)
{
    if (d->g.n > PARANOID_SIZE)
        return;
    uint8_t *reached = mem_alloc(d->g.n, sizeof *reached);
    for (read_id r = 0; r < d->n_reads; r++) {
        if (!is_from_init(d, r))
            continue;
        const key_id k = read_key(d, r);
        const dense_id reader = d->read_txn[r];
        mark_reached(&d->g, point_start(d, reader), reached);
        for (uint32_t i = d->key_first[k] + 1; i < d->key_first[k + 1]; i++) {
            const dense_id t = d->version_txn[d->key_version[i]];
            ENSURE(t == reader || reached[point_commit(d, t)]);
        }
    }
    mem_free(reached);
}
