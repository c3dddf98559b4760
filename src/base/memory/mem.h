/* mem.h -- the one allocator.
 *
 * No engine can go on without memory, so these functions do not fail: they
 * abandon the work of the context (context.h), and outside of every context
 * they end the program with one line on stderr.  In exchange every size that
 * comes from an input is checked against the input first.
 *
 * The bytes in use are counted, so that a limit of memory holds wherever the
 * memory is allocated, and --stats can say what a stage cost.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_MEMORY_MEM_H
#define BASE_MEMORY_MEM_H

#include <stddef.h>
#include <stdint.h>

/* n * size bytes, not initialised / zeroed / moved; never NULL for n > 0. */
void *mem_alloc(size_t n, size_t size);
void *mem_calloc(size_t n, size_t size);
void *mem_realloc(void *p, size_t n, size_t size);
void mem_free(void *p);

/* The same, but NULL where there is no memory; p is as it was then.  For
 * handles of the library, which are outside of every context, and only there.
 */
void *mem_try_realloc(void *p, size_t n, size_t size);

/* The first 'size' bytes of a file, to be read only; NULL where it cannot be
 * mapped.  They are not counted: the system may drop them at any time. */
void *mem_map(int fd, size_t size);
void mem_unmap(void *p, size_t size);

/* Ask for the pages between two addresses now, before they are used.  Their
 * content stays, and it is no error if nothing is there. */
void mem_touch(uintptr_t from, uintptr_t to);

/* How many bytes more may be in use; SIZE_MAX where there is no limit. */
size_t mem_left(void);

/* Bytes in use in this thread's context now, and at most so far. */
size_t mem_in_use(void);
size_t mem_peak(void);

#endif
