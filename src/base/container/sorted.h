/* sorted.h -- arrays of 32-bit ids in ascending order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_CONTAINER_SORTED_H
#define BASE_CONTAINER_SORTED_H

#include "base/container/vec.h"

/* For qsort and bsearch on ids. */
int sorted_compare(const void *a, const void *b);

/* Sort the ids and keep one of each. */
void sorted_unique(u32_vec *ids);

#endif
