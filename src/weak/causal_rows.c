/* causal_rows.c -- see causal_rows.h.
 *
 * A cover is made as in graph/cover.c: along the sequence, a transaction
 * continues the first chain all of which happened before it, and begins a new
 * one where there is none.  Rows are as wide as the chains so far need, and
 * move apart when there are more.
 *
 * SPDX-License-Identifier: MIT */
#include "weak/causal_rows.h"

#include "base/limits/context.h"

enum { WIDTH_FIRST = 64, BLOCK = 8 };

uint32_t
causal_rows_copy(struct causal_rows *c, uint32_t from)
{
    uint32_t row;
    if (c->unused.n) {
        row = vec_pop(&c->unused);
    } else {
        row = (uint32_t)(c->rows.n / c->width);
        vec_grow(&c->rows, c->width);
    }
    memcpy(causal_rows_at(c, row), causal_rows_at(c, from),
           c->width * sizeof(uint32_t));
    return row;
}

static void
row_drop(struct causal_rows *c, uint32_t *row)
{
    if (*row != NO_ROW)
        vec_push(&c->unused, *row);
    *row = NO_ROW;
}

/* Entries are below 2^31 (CAPACITY_TXNS), and every processor compares several
 * signed integers at once. */
static void
row_join(uint32_t *restrict row, const uint32_t *restrict other, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        const int32_t a = (int32_t)row[i], b = (int32_t)other[i];
        row[i] = (uint32_t)(a > b ? a : b);
    }
}

/* Find the last use of each row: by a reader or by the session's next. */
static void
find_last_uses(struct causal_rows *c, const struct topological_order *sequence)
{
    const struct history *h = c->r->h;
    c->of = mem_alloc(h->n_txns, sizeof *c->of);
    memset(c->of, 0xff, h->n_txns * sizeof *c->of); // TXN_NONE, NO_ROW
    txn_id *before = mem_alloc(h->n_sessions, sizeof *before);
    memset(before, 0xff, h->n_sessions * sizeof *before);
    for (size_t i = 0; i < sequence->n; i++) {
        const txn_id t = sequence->at[i];
        context_poll_at(i);
        txn_id *previous = &before[h->txn_session[t]];
        if (*previous != TXN_NONE)
            c->of[*previous].last_use = t;
        *previous = t;
        for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
            if (!op_is_external_read(h, op))
                continue;
            const txn_id w = assigned_writer(c->r, op);
            if (w != TXN_INIT)
                c->of[w].last_use = t;
        }
    }
    mem_free(before);
}

/* Who comes first among those that t follows: the transaction before it in its
 * session, or else the first that it read from; TXN_NONE if there is none. */
static txn_id
find_first_before(const struct causal_rows *c, txn_id t)
{
    const struct history *h = c->r->h;
    const txn_id previous = c->before[h->txn_session[t]];
    assert(previous == TXN_NONE || previous < t);
    if (previous != TXN_NONE)
        return previous;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op) && assigned_writer(c->r, op) != TXN_INIT)
            return assigned_writer(c->r, op);
    return TXN_NONE;
}

void
causal_rows_enter(struct causal_rows *c, txn_id t)
{
    const struct history *h = c->r->h;
    const txn_id first = find_first_before(c, t);
    assert(first == TXN_NONE || c->of[first].row != NO_ROW);
    const uint32_t row =
        causal_rows_copy(c, first == TXN_NONE ? c->zero : c->of[first].row);
    uint32_t *at = causal_rows_at(c, row);
    if (first != TXN_NONE && at[c->chain[first]] <= causal_rows_place(c, first))
        at[c->chain[first]] = causal_rows_place(c, first) + 1;
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++) {
        if (!op_is_external_read(h, op))
            continue;
        const txn_id w = assigned_writer(c->r, op);
        if (w == TXN_INIT || causal_rows_place(c, w) < at[c->chain[w]])
            continue;
        assert(c->of[w].row != NO_ROW); // its last use is not before t
        row_join(at, causal_rows_at(c, c->of[w].row), c->width);
        at[c->chain[w]] = causal_rows_place(c, w) + 1;
    }
    c->of[t].row = row;
}

static void
drop_if_last(struct causal_rows *c, txn_id w, txn_id t)
{
    if (w != TXN_INIT && w != TXN_NONE && c->of[w].last_use == t) {
        row_drop(c, &c->of[w].row);
        row_drop(c, &c->of[w].known);
    }
}

void
causal_rows_leave(struct causal_rows *c, txn_id t)
{
    const struct history *h = c->r->h;
    txn_id *previous = &c->before[h->txn_session[t]];
    drop_if_last(c, *previous, t);
    for (op_id op = h->txn_begin[t]; op < h->txn_end[t]; op++)
        if (op_is_external_read(h, op))
            drop_if_last(c, assigned_writer(c->r, op), t);
    if (c->of[t].last_use == TXN_NONE)
        row_drop(c, &c->of[t].row);
    *previous = t;
}

/* --- a cover -------------------------------------------------------------- */

/* Move the rows apart, the last one first. */
static void
widen(struct causal_rows *c)
{
    const size_t old = c->width, n = c->rows.n / old;
    const size_t width = (old + old / 2 + BLOCK - 1) / BLOCK * BLOCK;
    vec_grow(&c->rows, n * (width - old));
    for (size_t i = n; i--;) {
        uint32_t *row = c->rows.at + i * width;
        memmove(row, c->rows.at + i * old, old * sizeof *row);
        memset(row + old, 0, (width - old) * sizeof *row);
    }
    c->width = (uint32_t)width;
}

/* The first chain all of which is in the row: tail[i] transactions of chain i;
 * n_chains if there is none. */
static uint32_t
find_chain(const struct causal_rows *c, const uint32_t *row,
           const uint32_t *tail)
{
    uint32_t i = 0;
    while (i < c->n_chains && row[i] != tail[i])
        i++;
    return i;
}

static void
reset(struct causal_rows *c, uint32_t width)
{
    const struct history *h = c->r->h;
    c->width = width;
    vec_clear(&c->rows);
    vec_clear(&c->unused);
    vec_grow(&c->rows, width);
    memset(c->rows.at, 0, width * sizeof *c->rows.at);
    memset(c->before, 0xff, h->n_sessions * sizeof *c->before);
    for (txn_id t = 0; t < h->n_txns; t++)
        c->of[t].row = c->of[t].known = NO_ROW;
}

static void
make_cover(struct causal_rows *c, const struct topological_order *sequence)
{
    const uint32_t n = c->r->h->n_txns;
    c->cover = mem_alloc(n, sizeof *c->cover);
    c->places = mem_alloc(n, sizeof *c->places);
    c->chain = c->cover;
    reset(c, WIDTH_FIRST);
    u32_vec tail = {0};
    for (size_t i = 0; i < sequence->n; i++) {
        const txn_id t = sequence->at[i];
        causal_rows_enter(c, t);
        const uint32_t *row = causal_rows_at(c, c->of[t].row);
        const uint32_t chain = find_chain(c, row, tail.at);
        if (chain == c->n_chains) {
            vec_push(&tail, 0);
            if (++c->n_chains > c->width)
                widen(c);
        }
        c->cover[t] = chain;
        c->places[t] = tail.at[chain]++;
        causal_rows_leave(c, t);
    }
    vec_free(&tail);
}

void
causal_rows_init(struct causal_rows *c, const struct writer_assignment *r,
                 const struct topological_order *sequence,
                 uint32_t sessions_max)
{
    const struct history *h = r->h;
    *c = (struct causal_rows){.r = r};
    c->before = mem_alloc(h->n_sessions, sizeof *c->before);
    find_last_uses(c, sequence);
    if (h->n_sessions > sessions_max) {
        make_cover(c, sequence);
    } else {
        c->chain = h->txn_session;
        c->n_chains = h->n_sessions;
    }
    reset(c, (c->n_chains + 3) / 4 * 4);
}

void
causal_rows_free(struct causal_rows *c)
{
    mem_free(c->cover);
    mem_free(c->places);
    mem_free(c->of);
    mem_free(c->before);
    vec_free(&c->rows);
    vec_free(&c->unused);
    *c = (struct causal_rows){0};
}
