/* sorted.h -- what is in ascending order: ids, and search in anything.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_CONTAINER_SORTED_H
#define BASE_CONTAINER_SORTED_H

#include "base/container/vec.h"

/* For qsort and bsearch on ids. */
int sorted_compare(const void *a, const void *b);

/* Sort the ids and keep one of each. */
void sorted_unique(u32_vec *ids);

/* Move 'low' to the first place in [low, high) where 'before' is false, or to
 * high.  'before' is an expression of 'middle', a name that the macro declares;
 * the places where it is true stand first. */
#define LOWER_BOUND(low, high, middle, before)                                 \
    do {                                                                       \
        size_t high_ = (high);                                                 \
        while ((low) < high_) {                                                \
            const size_t middle = (low) + (high_ - (low)) / 2;                 \
            if (before)                                                        \
                (low) = middle + 1;                                            \
            else                                                               \
                high_ = middle;                                                \
        }                                                                      \
    } while (0)

#endif
