/* clock.c -- see clock.h.
 *
 * An update sweeps the points in topological order and rebuilds the stale
 * rows: the row of the point before in the chain, joined with the rows of the
 * sources of its edges.  A source that the partial row covers already is
 * skipped, which is one comparison instead of a join.  A row that grew makes
 * its successors stale, and these come later in the same sweep.
 *
 * A point's own entry is set last.  On a cover it also says that the points
 * before in the chain reach it, and their rows must not be skipped for that.
 *
 * SPDX-License-Identifier: MIT */
#include "graph/clock.h"

#include "base/limits/context.h"
#include "base/paranoid.h"

static bool
needs_wide(const struct chains *g)
{
    for (uint32_t c = 0; c < g->n_chains; c++)
        if (g->first[c + 1] - g->first[c] >= UINT16_MAX)
            return true;
    return false;
}

size_t
clocks_bytes(const struct chains *g)
{
    return (size_t)g->n * g->n_chains *
           (needs_wide(g) ? sizeof(uint32_t) : sizeof(uint16_t));
}

void
clocks_init(struct clocks *c, const struct chains *g)
{
    *c = (struct clocks){.g = g,
                         .n_chains = g->n_chains,
                         .stride = g->n_chains,
                         .seat = g->seat,
                         .wide = needs_wide(g)};
    const size_t n = (size_t)g->n * g->n_chains;
    if (c->wide)
        c->wide_rows = mem_calloc(n, sizeof *c->wide_rows);
    else
        c->narrow_rows = mem_calloc(n, sizeof *c->narrow_rows);
    c->stale = mem_alloc(g->n, sizeof *c->stale);
    memset(c->stale, 1, g->n);
    c->scratch = mem_alloc((size_t)g->n_chains + 1, sizeof(uint32_t));
}

void
clocks_free(struct clocks *c)
{
    mem_free(c->narrow_rows);
    mem_free(c->wide_rows);
    mem_free(c->stale);
    mem_free(c->scratch);
    mem_free(c->cover);
    *c = (struct clocks){0};
}

/* The two widths differ in nothing but the type. */
#define DEFINE_REBUILD(name, type, rows)                                       \
    static bool name(struct clocks *c, uint32_t p)                             \
    {                                                                          \
        const struct chains *g = c->g;                                         \
        const size_t k = c->n_chains, stride = c->stride;                      \
        type *restrict new = c->scratch;                                       \
        type *old = c->rows + (size_t)p * stride;                              \
        if (chains_has_previous(g, p))                                         \
            memcpy(new, old - stride, k * sizeof *new);                        \
        else                                                                   \
            memset(new, 0, k * sizeof *new);                                   \
        struct chain_walk w = chains_in(g, p);                                 \
        for (uint32_t from; chains_next_in(g, &w, &from);) {                   \
            const struct seat s = c->seat[from];                               \
            if (new[s.chain] > s.place)                                        \
                continue;                                                      \
            const type *restrict row = c->rows + (size_t)from * stride;        \
            for (size_t i = 0; i < k; i++)                                     \
                new[i] = row[i] > new[i] ? row[i] : new[i];                    \
        }                                                                      \
        new[c->seat[p].chain] = (type)(c->seat[p].place + 1);                  \
        if (memcmp(old, new, k * sizeof *new) == 0)                            \
            return false;                                                      \
        memcpy(old, new, k * sizeof *new);                                     \
        return true;                                                           \
    }

DEFINE_REBUILD(rebuild_narrow, uint16_t, narrow_rows)
DEFINE_REBUILD(rebuild_wide, uint32_t, wide_rows)

void
clocks_update(struct clocks *c, const uint32_t *order)
{
    const struct chains *g = c->g;
    for (uint32_t i = 0; i < g->n; i++) {
        context_poll_at(i);
        const uint32_t p = order[i];
        if (!c->stale[p])
            continue;
        c->stale[p] = 0;
        c->rebuilds++;
        c->steps += c->n_chains / 8 + 1;
        if (!(c->wide ? rebuild_wide(c, p) : rebuild_narrow(c, p)))
            continue;
        if (chains_has_next(g, p))
            c->stale[p + 1] = 1;
        struct chain_walk w = chains_out(g, p);
        for (uint32_t to; chains_next_out(g, &w, &to);)
            c->stale[to] = 1;
    }
    PARANOID(clocks_check(c));
}

/* Mark what reaches p: a plain search backwards. */
static void
mark_ancestors(const struct chains *g, uint32_t p, uint8_t *reaches)
{
    u32_vec stack = {0};
    memset(reaches, 0, g->n);
    vec_push(&stack, p);
    while (stack.n) {
        const uint32_t q = vec_pop(&stack);
        if (reaches[q])
            continue;
        reaches[q] = 1;
        if (chains_has_previous(g, q))
            vec_push(&stack, q - 1);
        for (uint32_t e = g->in[q]; e != EDGE_NONE; e = g->edges.at[e].next_in)
            vec_push(&stack, g->edges.at[e].from);
    }
    vec_free(&stack);
}

void
clocks_check(const struct clocks *c)
{
    if (c->g->n > PARANOID_SIZE)
        return;
    uint8_t *reaches = mem_alloc(c->g->n, sizeof *reaches);
    for (uint32_t p = 0; p < c->g->n; p++) {
        ENSURE(!c->stale[p]);
        mark_ancestors(c->g, p, reaches);
        for (uint32_t q = 0; q < c->g->n; q++)
            ENSURE(clocks_reach(c, q, p) == (bool)reaches[q]);
    }
    mem_free(reaches);
}

/* --- paths ---------------------------------------------------------------- */

void
path_finder_init(struct path_finder *f, const struct chains *g)
{
    *f = (struct path_finder){0};
    f->stamp = mem_calloc(g->n, sizeof *f->stamp);
    f->leads = mem_alloc(g->n, sizeof *f->leads);
}

void
path_finder_free(struct path_finder *f)
{
    mem_free(f->stamp);
    mem_free(f->leads);
    vec_free(&f->queue);
    *f = (struct path_finder){0};
}

static void
visit(struct path_finder *f, uint32_t p, struct hop h)
{
    if (f->stamp[p] == f->epoch)
        return;
    f->stamp[p] = f->epoch;
    f->leads[p] = h;
    vec_push(&f->queue, p);
}

/* Add a hop, as one with the hop before where both go down a chain. */
static void
push_hop(hop_vec *path, size_t first, struct hop h)
{
    if (path->n > first && h.edge == EDGE_NONE &&
        vec_top(path).edge == EDGE_NONE)
        vec_top(path).to = h.to;
    else
        vec_push(path, h);
}

/* Whether a path from u to v may lead over p. */
static bool
may_lead_over(const struct clocks *c, const struct path_finder *f, uint32_t u,
              uint32_t p)
{
    if (c->narrow_rows || c->wide_rows)
        return clocks_reach(c, u, p);
    return !f->rank || f->rank[p] >= f->rank[u];
}

bool
clocks_path(const struct clocks *c, struct path_finder *f, uint32_t u,
            uint32_t v, uint32_t limit, hop_vec *path)
{
    const struct chains *g = c->g;
    assert(u < g->n && v < g->n && f->stamp);
    const struct seat start = g->seat[u];
    f->epoch = capacity_epoch(f->epoch, f->stamp, g->n);
    vec_clear(&f->queue);
    visit(f, v, (struct hop){v, v, EDGE_NONE});
    for (size_t i = 0; i < f->queue.n; i++) {
        const uint32_t p = f->queue.at[i];
        if (g->seat[p].chain == start.chain &&
            g->seat[p].place >= start.place) {
            const size_t first = path->n;
            if (p != u)
                push_hop(path, first, (struct hop){u, p, EDGE_NONE});
            for (uint32_t q = p; q != v; q = f->leads[q].to)
                push_hop(path, first, f->leads[q]);
            assert(u == v ||
                   (path->at[first].from == u && vec_top(path).to == v));
            return true;
        }
        if (chains_has_previous(g, p) && may_lead_over(c, f, u, p - 1))
            visit(f, p - 1, (struct hop){p - 1, p, EDGE_NONE});
        for (uint32_t e = g->in[p]; e != EDGE_NONE; e = g->edges.at[e].next_in)
            if (e < limit && may_lead_over(c, f, u, g->edges.at[e].from))
                visit(f, g->edges.at[e].from,
                      (struct hop){g->edges.at[e].from, p, e});
    }
    return false;
}
