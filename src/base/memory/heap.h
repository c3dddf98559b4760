/* heap.h -- how the heap of the program grows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_MEMORY_HEAP_H
#define BASE_MEMORY_HEAP_H

/* Set up the C library's heap for large tables.  For the program, at the
 * start of main; a library leaves the heap of its process alone. */
void heap_tune(void);

/* The same for the heap of this thread, which is to read and check histories of
 * its own.  Only the first call does anything, and only after heap_tune. */
void heap_tune_thread(void);

#endif
