/* shrink_run.h -- the smallest run that still violates its level.
 *
 * A number is halved as long as a run with it violates the level, by one of a
 * few seeds, because a race does not come back by its seed alone.  Then comes
 * the next number, until none of them can be halved.  Of random SQL one part
 * after another is left out in the same way.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_SHRINK_RUN_H
#define PIPELINE_SHRINK_RUN_H

#include "pipeline/single_run.h"

enum { SHRINK_TXNS, SHRINK_SESSIONS, SHRINK_KEYS, SHRINK_OPS, SHRINK_NUMBERS };

/* What is made smaller. */
struct shrink_size {
    uint64_t numbers[SHRINK_NUMBERS];
    uint64_t seed;
    uint64_t left_out; // parts of random SQL, as bits
};

struct shrink_run {
    const char *start; // servers that serve all runs, or NULL
    unsigned parts;    // of random SQL
    uint64_t empty;    // those without text, as bits
    bool has_shape;    // the workload has operations, of keys
    uint64_t default_keys;
    const volatile sig_atomic_t *interrupted;
    void *self;
    /* Make the request of a run of that size. */
    bool (*prepare)(void *self, const struct shrink_size *size,
                    struct single_run_request *out, struct err *err);
    /* A smaller run violates the level, too. */
    void (*smaller)(void *self, const struct shrink_size *size);

    // Results.
    bool found;
    struct shrink_size size; // of the smallest run
    struct single_run run;   // the smallest run
    size_t runs;
};

/* Find the smallest run, from s->size on.  The caller frees s->run. */
bool shrink_run(struct shrink_run *s, struct err *err);

#endif
