/* horizon.c -- see horizon.h.
 *
 * Rows and their bits are in rings: place i has row and bit i modulo the width,
 * so nothing moves when the sweep does.  The row of j speaks of the places from
 * j - width + 1 to j.  Joined to the row of a later place i, it gives those of
 * them that are within the width of i as well.
 *
 * A source that the row has already is skipped, with all that reaches it.
 *
 * Landmarks are WIDTH_SHARE of a width apart, so that a point has several
 * chances to reach one.  If the last one reaches nothing for half a width,
 * another one begins, which no earlier one is known to reach.
 *
 * SPDX-License-Identifier: MIT */
#include "graph/horizon.h"

#include "base/paranoid.h"

enum { WIDTH_SHARE = 8, WORD = 64 };

void
horizon_init(struct horizon *h, const struct chains *g, uint32_t width)
{
    *h = (struct horizon){.g = g, .width = 1};
    while (h->width < width && h->width < g->n)
        h->width *= 2;
    h->words = (h->width + WORD - 1) / WORD;
    h->rows = mem_alloc((size_t)h->width * h->words, sizeof *h->rows);
    h->onward = mem_alloc(g->n, sizeof *h->onward);
    h->landed = mem_alloc(g->n, sizeof *h->landed);
}

void
horizon_free(struct horizon *h)
{
    mem_free(h->rows);
    mem_free(h->onward);
    mem_free(h->landed);
    vec_free(&h->landmarks);
    vec_free(&h->linked);
    *h = (struct horizon){0};
}

void
horizon_begin(struct horizon *h, const uint32_t *rank)
{
    h->rank = rank;
    h->n = 0;
    vec_clear(&h->landmarks);
    vec_clear(&h->linked);
}

static uint64_t *
row_of(const struct horizon *h, uint32_t i)
{
    return h->rows + (size_t)(i & (h->width - 1)) * h->words;
}

/* Add the bits first .. last of one row to another. */
static void
add_bits(uint64_t *restrict to, const uint64_t *restrict from, uint32_t first,
         uint32_t last)
{
    const uint32_t a = first / WORD, b = last / WORD;
    const uint64_t low = UINT64_MAX << first % WORD;
    const uint64_t high = UINT64_MAX >> (WORD - 1 - last % WORD);
    assert(first <= last);
    if (a == b) {
        to[a] |= from[a] & low & high;
        return;
    }
    to[a] |= from[a] & low;
    for (uint32_t i = a + 1; i < b; i++)
        to[i] |= from[i];
    to[b] |= from[b] & high;
}

/* Add what reaches place j to the row of place i, for an edge from j to i. */
static void
join(struct horizon *h, uint64_t *row, uint32_t i, uint32_t j)
{
    const uint32_t mask = h->width - 1;
    assert(j < i);
    if (h->landed[j] != LANDMARK_NONE &&
        (h->landed[i] == LANDMARK_NONE || h->landed[j] > h->landed[i]))
        h->landed[i] = h->landed[j];
    if (i - j > mask || horizon_has_bit(h, row, j))
        return;
    const uint32_t first = i < mask ? 0 : (i + 1) & mask, last = j & mask;
    if (first <= last) {
        add_bits(row, row_of(h, j), first, last);
    } else {
        add_bits(row, row_of(h, j), first, mask);
        add_bits(row, row_of(h, j), 0, last);
    }
}

/* Make the last point passed a landmark. */
static void
add_landmark(struct horizon *h, bool linked)
{
    const uint32_t mark = (uint32_t)h->landmarks.n, i = h->n - 1;
    const uint32_t first = linked ? h->linked.at[mark - 1] : mark;
    vec_push(&h->landmarks, i);
    vec_push(&h->linked, first);
    h->landed[i] = mark;
    for (uint32_t j = i < h->width ? 0 : i - h->width + 1; j <= i; j++)
        if (h->onward[j] == LANDMARK_NONE && horizon_has_bit(h, h->row, j))
            h->onward[j] = mark;
}

static void
add_landmark_if_due(struct horizon *h)
{
    const uint32_t i = h->n - 1;
    const uint32_t last = h->landmarks.n ? vec_top(&h->landmarks) : 0;
    if (!h->landmarks.n || i - last > h->width / 2)
        add_landmark(h, false);
    else if (i - last > h->width / WIDTH_SHARE &&
             horizon_has_bit(h, h->row, last))
        add_landmark(h, true);
}

void
horizon_pass(struct horizon *h, uint32_t p)
{
    const struct chains *g = h->g;
    const uint32_t i = h->n++, bit = i & (h->width - 1);
    assert(h->rank[p] == i);
    h->row = row_of(h, i);
    memset(h->row, 0, h->words * sizeof *h->row);
    h->onward[i] = h->landed[i] = LANDMARK_NONE;
    if (chains_has_previous(g, p))
        join(h, h->row, i, h->rank[p - 1]);
    struct chain_walk w = chains_in(g, p);
    for (uint32_t from; chains_next_in(g, &w, &from);)
        if (h->rank[from] < i) // not added since, against the order
            join(h, h->row, i, h->rank[from]);
    h->row[bit / WORD] |= (uint64_t)1 << bit % WORD;
    h->steps += h->words / 8 + 1;
    add_landmark_if_due(h);
    PARANOID(horizon_check(h));
}

void
horizon_add(struct horizon *h, uint32_t i)
{
    join(h, h->row, h->n - 1, i);
}

/* Mark the places that reach the last one along edges that go up the order. */
static void
mark_ancestors(const struct horizon *h, const uint32_t *order, uint8_t *reaches)
{
    const struct chains *g = h->g;
    reaches[h->n - 1] = 1;
    for (uint32_t i = h->n; i--;) {
        if (!reaches[i])
            continue;
        const uint32_t p = order[i];
        if (chains_has_previous(g, p))
            reaches[h->rank[p - 1]] = 1;
        for (uint32_t e = g->in[p]; e != EDGE_NONE; e = g->edges.at[e].next_in)
            if (h->rank[g->edges.at[e].from] < i)
                reaches[h->rank[g->edges.at[e].from]] = 1;
    }
}

void
horizon_check(const struct horizon *h)
{
    if (h->g->n > PARANOID_SIZE)
        return;
    uint8_t *reaches = mem_calloc(h->g->n, sizeof *reaches);
    uint32_t *order = mem_alloc(h->g->n, sizeof *order);
    for (uint32_t p = 0; p < h->g->n; p++)
        order[h->rank[p]] = p;
    mark_ancestors(h, order, reaches);
    for (uint32_t i = 0; i + 1 < h->n; i++)
        ENSURE(!horizon_reach_last(h, i) || reaches[i]); // (H1)
    mem_free(order);
    mem_free(reaches);
}
