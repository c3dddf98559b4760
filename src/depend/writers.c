/* writers.c -- see writers.h.
 *
 * SPDX-License-Identifier: MIT */
#include "depend/writers.h"

#include "base/container/sorted.h"
#include "base/limits/context.h"
#include "base/prefetch.h"

enum { AHEAD = 24 }; // operations between a prefetch and its use

PREFETCHING void
prefetch(const struct history *h, const uint32_t *by_key, op_id op)
{
    if (op + AHEAD < h->n_ops)
        __builtin_prefetch(&by_key[op_key(h, op + AHEAD)]);
}

void
writers_bounds(uint32_t *first, const struct history *h, const uint8_t *counts)
{
    memset(first, 0, ((size_t)h->n_keys + 1) * sizeof *first);
    for (txn_id t = 0; t < h->n_txns; t++) {
        context_poll_at(t);
        for (op_id op = h->txn_begin[t]; counts[t] && op < h->txn_end[t];
             op++) {
            prefetch(h, first, op);
            first[op_key(h, op) + 1] += op_is_final_write(h, op);
        }
    }
    for (key_id k = 0; k < h->n_keys; k++)
        first[k + 1] += first[k];
}

void
writers_init(struct writers *w, const struct history *h, const uint8_t *counts)
{
    w->first = mem_alloc((size_t)h->n_keys + 2, sizeof *w->first);
    w->first[0] = 0;
    uint32_t *next = w->first + 1;
    writers_bounds(next, h, counts);
    // next[k] is the first place of k; filling moves it to the first of k + 1,
    // which is where first[k + 1] is expected.
    w->at = mem_alloc(next[h->n_keys], sizeof *w->at);
    for (txn_id t = 0; t < h->n_txns; t++)
        for (op_id op = h->txn_begin[t]; counts[t] && op < h->txn_end[t];
             op++) {
            prefetch(h, next, op);
            if (op_is_final_write(h, op))
                w->at[next[op_key(h, op)]++] = t;
        }
}

void
writers_free(struct writers *w)
{
    mem_free(w->first);
    mem_free(w->at);
    *w = (struct writers){0};
}

bool
writers_has(const struct writers *w, key_id k, txn_id t)
{
    uint32_t low = w->first[k];
    LOWER_BOUND(low, w->first[k + 1], middle, w->at[middle] < t);
    return low < w->first[k + 1] && w->at[low] == t;
}
