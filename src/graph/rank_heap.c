/* rank_heap.c -- see rank_heap.h.
 *
 * SPDX-License-Identifier: MIT */
#include "graph/rank_heap.h"

#include "base/paranoid.h"

void
rank_heap_push(struct rank_heap *h, uint32_t rank)
{
    vec_push(&h->at, rank);
    size_t i = h->at.n - 1;
    for (; i && h->at.at[(i - 1) / 2] > rank; i = (i - 1) / 2)
        h->at.at[i] = h->at.at[(i - 1) / 2];
    h->at.at[i] = rank;
}

uint32_t
rank_heap_pop(struct rank_heap *h)
{
    assert(h->at.n);
    const uint32_t top = h->at.at[0], last = vec_pop(&h->at);
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= h->at.n)
            break;
        if (child + 1 < h->at.n && h->at.at[child + 1] < h->at.at[child])
            child++;
        if (h->at.at[child] >= last)
            break;
        h->at.at[i] = h->at.at[child];
        i = child;
    }
    if (h->at.n)
        h->at.at[i] = last;
    assert(!h->at.n || top <= h->at.at[0]);
    PARANOID(rank_heap_check(h));
    return top;
}

void
rank_heap_check(const struct rank_heap *h)
{
    for (size_t i = 1; i < h->at.n; i++)
        ENSURE(h->at.at[(i - 1) / 2] <= h->at.at[i]);
}
