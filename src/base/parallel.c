/* parallel.c -- see parallel.h.
 *
 * Threads take the next index from a common counter.
 *
 * SPDX-License-Identifier: MIT */
#include "base/parallel.h"

#include "base/limits/context.h"

#include <signal.h>
#include <stdatomic.h>

struct loop {
    size_t n;
    void (*work)(void *self, size_t i);
    void *self;
    struct context *context;
    atomic_size_t next;
    pthread_t threads[PARALLEL_MOST];
    unsigned started;
};

static void
take_part(void *self)
{
    struct loop *l = self;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->n;)
        l->work(l->self, i);
}

static void *
run_thread(void *self)
{
    struct loop *l = self;
    if (!context_worker(l->context, take_part, l))
        atomic_store(&l->next, l->n); // no thread begins another task
    return NULL;
}

static void
wait_for_all(void *self)
{
    struct loop *l = self;
    while (l->started)
        pthread_join(l->threads[--l->started], NULL);
}

/* This thread was abandoned: no thread may be left behind. */
static void
end_early(void *self)
{
    struct loop *l = self;
    atomic_store(&l->next, l->n);
    wait_for_all(l);
}

bool
parallel_start(pthread_t *thread, void *(*run)(void *self), void *self)
{
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return false;
    const bool ok = pthread_create(thread, NULL, run, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ok;
}

void
parallel_for(unsigned threads, size_t n, void (*work)(void *self, size_t i),
             void *self)
{
    if (threads > PARALLEL_MOST)
        threads = PARALLEL_MOST;
    struct loop l = {
        .n = n, .work = work, .self = self, .context = context_current()};
    context_defer(end_early, &l);
    while (l.started + 1 < threads && l.started + 1 < n &&
           parallel_start(&l.threads[l.started], run_thread, &l))
        l.started++;
    take_part(&l);
    wait_for_all(&l);
    context_undefer();
    context_poll(); // a worker may have been abandoned
}
