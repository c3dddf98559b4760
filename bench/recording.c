/* recording.c -- what it costs to record a transaction of four operations with
 * the library.
 *
 *     cc -O2 bench/recording.c -I include build/src/libassay.a -lm -lpthread
 *     ./a.out [TRANSACTIONS]
 *
 * Prints nanoseconds of CPU time for each transaction, the two times that a
 * session takes included, and seconds for finishing.
 *
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include <assay/assay.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double
cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
    enum { KEYS = 1000 };
    const int txns = argc > 1 ? atoi(argv[1]) : 200000;
    static char keys[KEYS][8];
    static int64_t values[KEYS];
    for (int i = 0; i < KEYS; i++)
        snprintf(keys[i], sizeof keys[i], "k%d", i);
    assay *a = assay_new();
    assay_recorder *rec = assay_recorder_new(a);
    assay_session *s = assay_session_open(rec, "s");
    const double began = cpu_seconds();
    for (int i = 0; i < txns; i++) {
        const int x = i % KEYS, y = (i * 7 + 1) % KEYS;
        assay_begin(s);
        if (values[x])
            assay_read_int(s, keys[x], values[x]);
        else
            assay_read_nil(s, keys[x]);
        assay_write_int(s, keys[x], values[x] = 2 * (int64_t)i + 1);
        if (values[y])
            assay_read_int(s, keys[y], values[y]);
        else
            assay_read_nil(s, keys[y]);
        assay_write_int(s, keys[y], values[y] = 2 * (int64_t)i + 2);
        assay_end(s, ASSAY_COMMITTED);
    }
    const double recorded = cpu_seconds();
    assay_history *h = assay_recorder_finish(rec);
    const double finished = cpu_seconds();
    if (!h) {
        puts(assay_error());
        return 1;
    }
    printf("%.0f ns for each transaction, %.3f s to finish %d of them\n",
           (recorded - began) * 1e9 / txns, finished - recorded, txns);
    assay_history_free(h);
    assay_free(a);
    return 0;
}
