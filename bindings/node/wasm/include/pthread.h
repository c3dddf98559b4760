/* pthread.h -- for a machine with one thread: locks do nothing, and no thread
 * can be started, which the core expects of any machine.
 *
 * SPDX-License-Identifier: MIT */
#ifndef ASSAY_WASM_PTHREAD_H
#define ASSAY_WASM_PTHREAD_H

#include <errno.h>

typedef int pthread_t, pthread_mutex_t, pthread_cond_t;

static inline int
pthread_mutex_init(pthread_mutex_t *m, const void *how)
{
    (void)how;
    return *m = 0;
}

static inline int
pthread_mutex_lock(pthread_mutex_t *m)
{
    return *m = 0;
}

static inline int
pthread_mutex_unlock(pthread_mutex_t *m)
{
    return *m = 0;
}

static inline int
pthread_mutex_destroy(pthread_mutex_t *m)
{
    return *m = 0;
}

static inline int
pthread_cond_init(pthread_cond_t *c, const void *how)
{
    (void)how;
    return *c = 0;
}

static inline int
pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    (void)c, (void)m;
    __builtin_trap(); // it would wait forever
}

static inline int
pthread_cond_signal(pthread_cond_t *c)
{
    return *c = 0;
}

static inline int
pthread_cond_broadcast(pthread_cond_t *c)
{
    return *c = 0;
}

static inline int
pthread_cond_destroy(pthread_cond_t *c)
{
    return *c = 0;
}

static inline int
pthread_join(pthread_t t, void **result)
{
    (void)t, (void)result;
    return ESRCH;
}

#endif
