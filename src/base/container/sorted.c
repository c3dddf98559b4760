/* sorted.c -- see sorted.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/container/sorted.h"

#include <stdlib.h>

int
sorted_compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

void
sorted_unique(u32_vec *ids)
{
    if (!ids->n)
        return;
    qsort(ids->at, ids->n, sizeof *ids->at, sorted_compare);
    size_t n = 1;
    for (size_t i = 1; i < ids->n; i++)
        if (ids->at[i] != ids->at[n - 1])
            ids->at[n++] = ids->at[i];
    ids->n = n;
}
