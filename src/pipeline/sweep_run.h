/* sweep_run.h -- many runs: every combination of targets, levels, workloads and
 * seeds.
 *
 * Each result is in the file (sweep_results.h) before the next run begins.  A
 * combination that is there is not repeated.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_SWEEP_RUN_H
#define PIPELINE_SWEEP_RUN_H

#include "pipeline/single_run.h"
#include "pipeline/sweep_results.h"

typedef VEC(const char *) sweep_words;

struct sweep_run {
    const char *command; // names the sweep in the file of results
    sweep_words targets, levels, workloads;
    bool are_servers; // the targets are servers to start
    bool are_shared;  // servers serve all runs: no fault disturbs them
    uint64_t seed, seeds;
    const volatile sig_atomic_t *interrupted;
    struct arena arena; // of the words

    void *self;
    /* Make the request of a run. */
    bool (*prepare)(void *self, const char *target,
                    const struct sweep_cell *cell,
                    struct single_run_request *out, struct err *err);
    /* A run is over. */
    void (*show)(void *self, const struct sweep_cell *cell,
                 const struct sweep_outcome *out);

    struct sweep_results results; // open
    size_t done, skipped;
};

/* Add the parts of a list that is separated by commas. */
void sweep_run_split(struct sweep_run *s, const char *list, sweep_words *out);

/* All workloads of keys, for targets that can run them. */
void sweep_run_all_workloads(struct sweep_run *s);

/* The command line, and for SQL files a number that changes with them: what
 * they were before is another sweep. */
void sweep_run_name(struct sweep_run *s, const char *command,
                    const char *workload, const char *schema);

/* Run all combinations with target i that are not in the results.  False if the
 * target cannot be used at all, or a result cannot be stored. */
bool sweep_run_target(struct sweep_run *s, size_t i, struct err *err);

void sweep_run_free(struct sweep_run *s);

#endif
