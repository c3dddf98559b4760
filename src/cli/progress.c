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
#include <string.h>
#include <time.h>
#include <unistd.h>

struct progress {
    const char *what, *subject;
    double begin;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    // Under the lock.
    bool stop, shown;
    char more[160]; // "" if there is nothing to say
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

/* Write the line.  What comes after the subject always fits: the subject loses
 * its beginning. */
static void
show_line(struct progress *p)
{
    struct buf subject = {0}, rest = {0};
    buf_shown(&subject, p->subject);
    buf_printf(&rest, "%s%s: %.0f s, %.0f MB", p->more[0] ? ": " : "", p->more,
               time_now() - p->begin, (double)mem_in_use() / 1e6);
    const size_t width = cli_width(STDERR_FILENO) - 1;
    const size_t other = strlen(p->what) + 1 + rest.n;
    const char *from = subject.n ? subject.at : "";
    const char *dots = "";
    if (other + subject.n > width && subject.n > 3) {
        const size_t room = width > other + 3 ? width - other - 3 : 0;
        from += subject.n - (room < subject.n ? room : subject.n);
        while (((unsigned char)*from & 0xc0) == 0x80)
            from++; // to the beginning of a character
        dots = "...";
    }
    fprintf(stderr, "\r%s %s%s%s \033[K", p->what, dots, from, rest.at);
    buf_free(&subject);
    buf_free(&rest);
    p->shown = true;
}

static void
clear_line(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

static void *
show_progress(void *arg)
{
    struct progress *p = arg;
    pthread_mutex_lock(&p->lock);
    for (long pause = 1000; wait_for(p, pause); pause = 500)
        show_line(p);
    clear_line(p);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void
progress_say(struct progress *p, const char *more)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    snprintf(p->more, sizeof p->more, "%s", more);
    pthread_mutex_unlock(&p->lock);
}

void
progress_clear(struct progress *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    clear_line(p);
    pthread_mutex_unlock(&p->lock);
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
