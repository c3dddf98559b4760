/* cover.c -- clocks on a cover of the graph; see clock.h.
 *
 * Points come in topological order.  The row of a point says, of every chain
 * so far, how much of it reaches the point.  Where that is all of a chain, the
 * point can continue it; otherwise it begins a new chain.  First fit: the
 * oldest chain that can be continued is taken, so that old chains get long and
 * new ones are few.  A point continues at most one chain, and each point of a
 * chain reaches the next, so
 *
 *   (1) tail[c] is the number of points of chain c, and a row with tail[c] at
 *       c belongs to a point that all of the chain reaches.
 *
 * The number of chains is not known beforehand.  When the rows are full, they
 * move apart.
 *
 * Entries have 16 bits.  A chain of CHAIN_MAX points is not continued.
 *
 * SPDX-License-Identifier: MIT */
#include "graph/clock.h"

#include "base/paranoid.h"

enum {
    STRIDE_FIRST = 64,
    CHAIN_MAX = UINT16_MAX - 1,
    TAIL_CLOSED = UINT16_MAX, // of no row
    BLOCK = 32,               // entries that are compared at once
};

struct cover {
    struct clocks *c;
    uint16_t *tail; // by chain (1), or TAIL_CLOSED; 'stride' of them
    uint8_t *done;  // by point: it has a row
};

static void
fit_scratch(struct cover *v)
{
    struct clocks *c = v->c;
    c->scratch = mem_realloc(c->scratch, c->stride, sizeof(uint16_t));
    v->tail = mem_realloc(v->tail, c->stride, sizeof *v->tail);
    for (size_t i = c->n_chains; i < c->stride; i++)
        v->tail[i] = TAIL_CLOSED;
}

/* Make room for more chains; false where the rows would take more than 'most'
 * bytes.  Rows move apart in place, the last one first. */
static bool
widen(struct cover *v, size_t most)
{
    struct clocks *c = v->c;
    const size_t old = c->stride, k = c->n_chains;
    const size_t stride =
        old ? (old + old / 2 + BLOCK - 1) / BLOCK * BLOCK : STRIDE_FIRST;
    if (stride * sizeof *c->narrow_rows > most / c->g->n)
        return false;
    if (stride * c->g->n > c->room) {
        c->room = stride * c->g->n;
        c->narrow_rows =
            mem_realloc(c->narrow_rows, c->room, sizeof *c->narrow_rows);
    }
    for (size_t p = c->g->n; p--;) {
        if (!v->done[p])
            continue;
        uint16_t *row = c->narrow_rows + p * stride;
        memmove(row, c->narrow_rows + p * old, k * sizeof *row);
        memset(row + k, 0, (stride - k) * sizeof *row);
    }
    c->stride = (uint32_t)stride;
    fit_scratch(v);
    return true;
}

/* The row of p in scratch, but for p itself, from rows that are there. */
static uint16_t *
join(struct clocks *c, uint32_t p)
{
    const struct chains *g = c->g;
    const size_t stride = c->stride;
    uint16_t *restrict new = c->scratch;
    if (chains_has_previous(g, p))
        memcpy(new, c->narrow_rows + (p - 1) * stride, stride * sizeof *new);
    else
        memset(new, 0, stride * sizeof *new);
    struct chain_walk w = chains_in(g, p);
    for (uint32_t from; chains_next_in(g, &w, &from);) {
        const struct seat s = c->seat[from];
        if (new[s.chain] > s.place)
            continue;
        const uint16_t *restrict row = c->narrow_rows + from * stride;
        for (size_t i = 0; i < stride; i++)
            new[i] = row[i] > new[i] ? row[i] : new[i];
    }
    return new;
}

/* The first chain all of which is in the row (1), or n_chains. */
static uint32_t
find_chain(const struct cover *v, const uint16_t *row)
{
    const uint16_t *tail = v->tail;
    assert(v->c->stride % BLOCK == 0);
    for (uint32_t i = 0; i < v->c->n_chains; i += BLOCK) {
        uint16_t some = 0;
        for (uint32_t j = 0; j < BLOCK; j++)
            some |= (uint16_t)(row[i + j] == tail[i + j]);
        for (uint32_t j = 0; some && j < BLOCK; j++)
            if (row[i + j] == tail[i + j])
                return i + j;
    }
    return v->c->n_chains;
}

/* Give p a place in a chain, and a row. */
static void
cover_point(struct cover *v, uint32_t p)
{
    struct clocks *c = v->c;
    uint16_t *row = join(c, p);
    const uint32_t chain = find_chain(v, row);
    if (chain == c->n_chains) {
        c->n_chains++;
        v->tail[chain] = 0;
    }
    assert(c->n_chains <= c->stride && v->tail[chain] < CHAIN_MAX);
    c->cover[p] = (struct seat){chain, v->tail[chain]};
    row[chain] = ++v->tail[chain];
    if (v->tail[chain] == CHAIN_MAX)
        v->tail[chain] = TAIL_CLOSED;
    memcpy(c->narrow_rows + p * (size_t)c->stride, row,
           c->stride * sizeof *row);
    v->done[p] = 1;
    c->rebuilds++;
    c->steps += c->n_chains / 8 + 1;
}

bool
clocks_cover_again(struct clocks *c, const uint32_t *order, size_t most)
{
    const struct chains *g = c->g;
    assert(c->cover && c->seat == c->cover);
    struct cover v = {.c = c};
    v.done = mem_calloc(g->n, sizeof *v.done);
    // The graph has become narrower, if anything.
    c->stride = (c->n_chains + BLOCK - 1) / BLOCK * BLOCK;
    c->n_chains = 0;
    if (c->stride)
        fit_scratch(&v);
    bool ok = true;
    for (uint32_t i = 0; ok && i < g->n; i++) {
        ok = c->n_chains < c->stride || widen(&v, most);
        if (ok)
            cover_point(&v, order[i]);
    }
    mem_free(v.tail);
    mem_free(v.done);
    memset(c->stale, 0, g->n);
    if (!ok) {
        const uint64_t rebuilds = c->rebuilds, steps = c->steps;
        clocks_free(c);
        *c = (struct clocks){.g = g, .rebuilds = rebuilds, .steps = steps};
        return false;
    }
    PARANOID(clocks_check(c));
    return true;
}

bool
clocks_init_cover(struct clocks *c, const struct chains *g,
                  const uint32_t *order, size_t most)
{
    *c = (struct clocks){.g = g};
    c->cover = mem_alloc(g->n, sizeof *c->cover);
    c->seat = c->cover;
    c->stale = mem_alloc(g->n, sizeof *c->stale);
    return clocks_cover_again(c, order, most);
}
