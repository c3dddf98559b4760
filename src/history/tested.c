/* tested.c -- see tested.h.
 *
 * Invariant:
 *   (1) a query about rows has a read for each row that it could concern.
 *       Where that is none, only the recording shows that it was asked.
 *
 * SPDX-License-Identifier: MIT */
#include "history/tested.h"

#include "history/row/row_log.h"

static bool
has_operation(const struct history *h, txn_id t)
{
    return h->txn_status[t] == TXN_COMMITTED && h->txn_begin[t] < h->txn_end[t];
}

/* Whether entry i of the recording is the first query of a transaction that is
 * committed and has no operation (1). */
static bool
asks_alone(const struct history *h, size_t i)
{
    const struct row_entry *e = &h->rows->entries.at[i];
    const txn_id t = h->arrival[e->txn];
    return e->kind == ROW_QUERY && h->txn_status[t] == TXN_COMMITTED &&
           !has_operation(h, t) && (!i || e[-1].txn != e->txn);
}

uint64_t
history_lone_queries(const struct history *h)
{
    assert(!h->rows || !h->n_lone_queries);
    uint64_t n = h->n_lone_queries;
    for (size_t i = 0; h->rows && i < h->rows->entries.n; i++)
        n += asks_alone(h, i);
    return n;
}

uint64_t
history_tested_count(const struct history *h)
{
    uint64_t n = history_lone_queries(h);
    for (txn_id t = 0; t < h->n_txns; t++)
        n += has_operation(h, t);
    return n;
}

bool
history_is_tested(const struct history *h)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        if (has_operation(h, t))
            return true;
    return history_lone_queries(h) > 0;
}
