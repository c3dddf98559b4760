/* parallel.h -- a loop on several threads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { PARALLEL_MOST = 64 }; // threads

/* Call work(self, i) for every i below n, on up to 'threads' threads, this one
 * among them, and return when all calls have.  Calls with different i may
 * overlap.  Where a thread cannot be started the others do its share. */
void parallel_for(unsigned threads, size_t n,
                  void (*work)(void *self, size_t i), void *self);

/* Start a thread on which every signal is blocked: those of a program belong to
 * its own threads.  False where it cannot be started. */
bool parallel_start(pthread_t *thread, void *(*run)(void *self), void *self);

#endif
