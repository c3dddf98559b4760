/* limit_none.c -- the library starts no process; see limit.h.
 *
 * This file takes the place of limit_process.c there.  All work of the library
 * runs in a context (context.h), and nobody sets limits of the other kind, so
 * nothing here has anything to do.
 *
 * SPDX-License-Identifier: MIT */
#include "base/limits/limit.h"

#include <assert.h>

bool
limit_try(const struct limits *l, double spent, const char *phase,
          struct limit_stop *stop)
{
    (void)l, (void)spent, (void)phase, (void)stop;
    assert(!"no limits are set");
    return true;
}

void
limit_phase(const char *phase)
{
    (void)phase;
}

void
limit_end(void)
{
}

int
limit_run(int (*work)(void *self), void *self,
          const struct limit_result results[], size_t n)
{
    (void)results, (void)n;
    return work(self);
}

void
limit_end_try(enum limit_kind kind, const char *what, uint64_t most)
{
    (void)kind, (void)what, (void)most;
}

void
limit_end_program(const char *message)
{
    (void)message;
    __builtin_trap(); // a bug: there was no context
}
