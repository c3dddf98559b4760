/* parallel.h -- a loop on several threads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

enum { PARALLEL_MOST = 64 }; // threads

/* Call work(self, i) for every i below n, on up to 'threads' threads, this one
 * among them, and return when all calls have.  Calls with different i may
 * overlap.  Where a thread cannot be started the others do its share. */
void parallel_for(unsigned threads, size_t n,
                  void (*work)(void *self, size_t i), void *self);

#endif
