/* host.c -- what WebAssembly lacks, from the JavaScript around it.
 *
 * A jump is an exception of JavaScript: it passes through the frames of the
 * module, and the caller puts the stack pointer back (assay.mjs).
 *
 * SPDX-License-Identifier: MIT */
#include "base/limits/jump.h"
#include "base/parallel.h"

#include <errno.h>

#define HOST(name) __attribute__((import_module("host"), import_name(name)))

HOST("run") int host_run(void (*work)(void *), void *self);
HOST("leave") _Noreturn void host_leave(void);

/* --- jumps -----------------------------------------------------------------*/

/* Nothing to keep: the host leaves the innermost run. */
struct jump {
    void (*work)(void *self, struct jump *to);
    void *self;
};

static void
run(void *self)
{
    struct jump *to = self;
    to->work(to->self, to);
}

bool
jump_run(void (*work)(void *self, struct jump *to), void *self)
{
    struct jump to = {work, self};
    return host_run(run, &to);
}

void
jump_leave(struct jump *to)
{
    (void)to;
    host_leave();
}

/* --- one thread ------------------------------------------------------------*/

bool
parallel_start(pthread_t *thread, void *(*start)(void *self), void *self)
{
    (void)thread, (void)start, (void)self;
    return false;
}

void
parallel_for(unsigned threads, size_t n, void (*work)(void *self, size_t i),
             void *self)
{
    (void)threads;
    for (size_t i = 0; i < n; i++)
        work(self, i);
}

/* --- what the C library lacks ----------------------------------------------*/

int
madvise(void *at, size_t n, int advice)
{
    (void)at, (void)n, (void)advice;
    return 0;
}

char *
realpath(const char *path, char *out)
{
    (void)path, (void)out;
    return NULL; // there are no files
}

int
dup(int descriptor)
{
    (void)descriptor;
    errno = EBADF;
    return -1;
}
