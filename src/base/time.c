/* time.c -- see time.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/time.h"

#include <errno.h>
#include <time.h>

static double
seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double
time_now(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double
time_cpu(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double
time_thread(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

double
time_work(unsigned threads)
{
    return threads > 1 ? time_cpu() : time_thread();
}

void
time_pause(double duration)
{
    if (duration <= 0)
        return;
    struct timespec left = {(time_t)duration, 0};
    left.tv_nsec = (long)((duration - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}
