/* prefetch.h -- functions that only prefetch.
 *
 * A compiler sees no effect in such a function: gcc drops calls of it, unless
 * it has been inlined before that is found out.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

/* In place of 'static'. */
#define PREFETCHING __attribute__((always_inline)) static inline

#endif
