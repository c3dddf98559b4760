/* rank_heap.h -- a binary heap of ranks, smallest first.
 *
 * SPDX-License-Identifier: MIT */
#ifndef GRAPH_RANK_HEAP_H
#define GRAPH_RANK_HEAP_H

#include "base/container/vec.h"

#include <assert.h>
#include <stdint.h>

/* at.at[0] is the smallest, and no entry is smaller than its parent. */
struct rank_heap {
    u32_vec at;
};

void rank_heap_push(struct rank_heap *h, uint32_t rank);

/* Take the smallest out.
 *
 *   require  h is not empty */
uint32_t rank_heap_pop(struct rank_heap *h);

/* Assert that no entry is smaller than its parent. */
void rank_heap_check(const struct rank_heap *h);

#endif
