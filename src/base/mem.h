/* mem.h -- the one allocator.
 *
 * A batch checker cannot go on without memory, so these functions do not fail:
 * they stop the program with one line on stderr.  In exchange every size that
 * comes from an input is checked against the input first.
 *
 * The bytes in use are counted, so that a user's --memory limit can turn into
 * 'unknown' (limit.h), whatever code needs too much, and --stats can say
 * what a stage cost.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>
#include <stdint.h>

/* n * size bytes, not initialised / zeroed / moved; never NULL for n > 0. */
void *mem_alloc(size_t n, size_t size);
void *mem_calloc(size_t n, size_t size);
void *mem_realloc(void *p, size_t n, size_t size);
void mem_free(void *p);

/* Call 'reached', which does not return, before more than that many bytes are
 * in use; 0 = no limit. */
void mem_set_limit(size_t bytes, void (*reached)(void));

/* How many bytes more may be in use; SIZE_MAX where there is no limit. */
size_t mem_left(void);

/* Bytes held by this process's data structures now, and at most so far. */
size_t mem_in_use(void);
size_t mem_peak(void);

#endif
