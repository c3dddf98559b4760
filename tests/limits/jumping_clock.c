/* jumping_clock.c -- preloaded: every look at a clock finds a minute gone, or
 * several.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *out);

int
clock_gettime(clockid_t clock, struct timespec *out)
{
    static atomic_long looks;
    const long n = atomic_fetch_add(&looks, 1) + 1;
    const int status = (int)syscall(SYS_clock_gettime, clock, out);
    out->tv_sec += 60 * (n + n / 7);
    return status;
}
