/* heap.h -- how the heap of the program grows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_MEMORY_HEAP_H
#define BASE_MEMORY_HEAP_H

/* Set up the C library's heap for large tables.  For the program, at the
 * start of main; a library leaves the heap of its process alone. */
void heap_tune(void);

#endif
