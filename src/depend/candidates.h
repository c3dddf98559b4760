/* candidates.h -- the writers that an ambiguous read may have read from.
 *
 * The candidates of a read are a range of a pool of 32-bit ids; what the ids
 * name (versions, transactions) is up to the owner of the pool.  The reads of
 * one value begin with the same range, which they share, so that a value with
 * w writers and r reads takes w entries and not r * w.  A read gets a range of
 * its own when it loses its first candidate.
 *
 *   (1) ranges that begin below 'shared' are never written to;
 *   (2) a range from 'shared' on belongs to one read;
 *   (3) candidates keep their relative order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DEPEND_CANDIDATES_H
#define DEPEND_CANDIDATES_H

#include "base/container/vec.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct candidate_pool {
    u32_vec items;
    size_t shared;
};

/* The candidates of 'read' are items.at[first .. first + n) of the pool. */
struct candidates {
    uint32_t read;
    uint32_t n;
    size_t first; // the pool may be as large as reads times writers
};

/* Reduce c to its first n candidates, and give it its own range. */
void candidates_truncate(struct candidate_pool *pool, struct candidates *c,
                         uint32_t n);

/* Append a candidate to its own range.
 *
 *   require  c was truncated, and has fewer candidates than before that */
void candidates_append(struct candidate_pool *pool, struct candidates *c,
                       uint32_t item);

/* Drop the candidates for which is_out() holds.  It is called once for each of
 * them, in order, and must not touch the pool. */
static inline void
candidates_filter(struct candidate_pool *pool, struct candidates *c,
                  bool (*is_out)(void *context, uint32_t item), void *context)
{
    const struct candidates all = *c;
    assert(all.first + all.n <= pool->items.n);
    bool is_whole = true; // none was dropped, so c may share its range
    for (uint32_t i = 0; i < all.n; i++) {
        const uint32_t item = pool->items.at[all.first + i];
        if (is_out(context, item)) {
            if (is_whole)
                candidates_truncate(pool, c, i);
            is_whole = false;
        } else if (!is_whole) {
            candidates_append(pool, c, item);
        }
    }
    assert(c->n <= all.n);
}

#endif
