/* tested.c -- see tested.h.
 *
 * SPDX-License-Identifier: MIT */
#include "history/tested.h"

static bool
tests_something(const struct history *h, txn_id t)
{
    return h->txn_status[t] == TXN_COMMITTED && h->txn_begin[t] < h->txn_end[t];
}

bool
history_is_tested(const struct history *h)
{
    for (txn_id t = 0; t < h->n_txns; t++)
        if (tests_something(h, t))
            return true;
    return false;
}

uint64_t
history_tested_count(const struct history *h)
{
    uint64_t n = 0;
    for (txn_id t = 0; t < h->n_txns; t++)
        n += tests_something(h, t);
    return n;
}
