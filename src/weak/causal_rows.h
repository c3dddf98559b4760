/* causal_rows.h -- what happened before a transaction, as one number a chain.
 *
 * Transactions are on chains, each of which happened before the next of its
 * chain.  row(t)[c] is one past the place of the last transaction of chain c
 * that happened before t, or 0, hence
 *
 *     u happened before t   if and only if   place(u) < row(t)[chain(u)].
 *
 * Chains are sessions, and the place of a transaction is its id.  Where there
 * are many sessions, chains are a cover: as many as transactions are
 * concurrent, and not as many as there are sessions.
 *
 * Rows are computed along a sequence that respects session order and the
 * assignment.  Most transactions are not read from any more after a while.  A
 * row is given back after its last use, so only a part of the n rows exists at
 * any time.  That is why these are not the clocks of graph/clock.h, which keep
 * all rows: on histories of millions of transactions they would not fit.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CAUSAL_ROWS_H
#define WEAK_CAUSAL_ROWS_H

#include "base/limits/budget.h"
#include "weak/topological_sort.h"

#define NO_ROW UINT32_MAX // of a transaction

struct txn_rows {
    txn_id last_use;     // the last transaction that needs the row, or TXN_NONE
    uint32_t row, known; // NO_ROW where there is none; causal.c says of what
};

struct causal_rows {
    const struct writer_assignment *r;
    uint32_t n_chains;
    const uint32_t *chain;    // by transaction: its session, or 'cover'
    uint32_t *cover, *places; // by transaction; NULL where chains are sessions

    uint32_t width; // of a row: chains, rounded up
    u32_vec rows;
    u32_vec unused; // rows that were given back
    struct txn_rows *of;
    txn_id *before; // by session: its last transaction so far, or TXN_NONE
    uint32_t zero;  // the row of INIT: nothing is before it
};

/* Begin at the start of the sequence.  With more than 'sessions_max' sessions,
 * a cover is made first, which takes a pass over the sequence. */
void causal_rows_init(struct causal_rows *c, const struct writer_assignment *r,
                      const struct topological_order *sequence,
                      uint32_t sessions_max);
void causal_rows_free(struct causal_rows *c);

/* Make the row of t, which is the next of the sequence. */
void causal_rows_enter(struct causal_rows *c, txn_id t);

/* Give back the rows that t was the last to need. */
void causal_rows_leave(struct causal_rows *c, txn_id t);

/* A new row that is a copy of 'from'. */
uint32_t causal_rows_copy(struct causal_rows *c, uint32_t from);

/* A row.  Rows move when one is made. */
static inline uint32_t *
causal_rows_at(const struct causal_rows *c, uint32_t row)
{
    assert(row != NO_ROW && ((size_t)row + 1) * c->width <= c->rows.n);
    return c->rows.at + (size_t)row * c->width;
}

static inline uint32_t
causal_rows_place(const struct causal_rows *c, txn_id t)
{
    return c->places ? c->places[t] : t;
}

#endif
