/* progress.c -- see progress.h.
 *
 * A separate thread sleeps and prints, so engines know nothing of it.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include "base/limits/limit.h"
#include "base/memory/mem.h"
#include "cli/cli.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct progress {
    const char *what, *subject;
    double begin;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool stop;
};

/* Sleep, unless the work ends; true to go on. */
static bool
wait_for(struct progress *p, long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += milliseconds % 1000 * 1000000;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!p->stop &&
           pthread_cond_timedwait(&p->stopped, &p->lock, &until) != ETIMEDOUT)
        ;
    return !p->stop;
}

static void *
show_progress(void *arg)
{
    struct progress *p = arg;
    bool shown = false;
    pthread_mutex_lock(&p->lock);
    for (long pause = 1000; wait_for(p, pause); pause = 500) {
        fprintf(stderr, "\r%s ", p->what);
        cli_print_shown(stderr, p->subject);
        fprintf(stderr, ": %.0f s, %.0f MB \033[K", time_now() - p->begin,
                (double)mem_in_use() / 1e6);
        shown = true;
    }
    if (shown)
        fputs("\r\033[K", stderr);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct progress *
progress_begin(bool quiet, const char *what, const char *subject)
{
    if (quiet || !isatty(STDERR_FILENO))
        return NULL;
    struct progress *p = mem_calloc(1, sizeof *p);
    p->what = what;
    p->subject = subject;
    p->begin = time_now();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->stopped, NULL);
    if (pthread_create(&p->thread, NULL, show_progress, p) == 0)
        return p;
    mem_free(p);
    return NULL;
}

void
progress_end(struct progress *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_signal(&p->stopped);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->stopped);
    pthread_mutex_destroy(&p->lock);
    mem_free(p);
}
