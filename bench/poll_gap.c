/* poll_gap.c -- how long the library takes to look at limits and cancellation.
 *
 *     cc -O2 bench/poll_gap.c -I include build/src/libassay-api.a.p/?*.o
 *        build/src/libassay-core.a -Wl,--wrap=context_poll -lm -lpthread
 *     ./a.out FILE...
 *
 * Loads each history, checks it at all levels, makes the page, and prints the
 * longest CPU time between two polls, and in which phase it was.
 *
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include <assay/assay.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

void __real_context_poll(void);
void __wrap_context_poll(void);

static double last, longest;
static const char *phase = "", *longest_in = "";

static double
cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
note(void)
{
    const double now = cpu_seconds();
    if (now - last > longest) {
        longest = now - last;
        longest_in = phase;
    }
    last = now;
}

void
__wrap_context_poll(void)
{
    note();
    __real_context_poll();
}

static int
begin_phase(void *self, const char *name)
{
    (void)self;
    note();
    phase = name;
    return 0;
}

int
main(int argc, char **argv)
{
    assay *a = assay_new();
    int failed = 0;
    assay_set_progress(a, begin_phase, NULL);
    for (int i = 1; i < argc; i++) {
        longest = 0;
        phase = "reading";
        last = cpu_seconds();
        const double began = last;
        assay_history *h = assay_load(a, argv[i], NULL);
        assay_result *r = assay_check(a, h, "all");
        phase = "showing";
        failed |= !r || !assay_result_text(r, "html", NULL);
        note();
        const char *name = strrchr(argv[i], '/');
        printf("%-40s %7.2f s  longest %6.1f ms  %s%s%s\n",
               name ? name + 1 : argv[i], cpu_seconds() - began, longest * 1e3,
               longest_in, r ? "" : "  ", r ? "" : assay_error());
        fflush(stdout);
        assay_result_free(r);
        assay_history_free(h);
    }
    assay_free(a);
    return failed;
}
