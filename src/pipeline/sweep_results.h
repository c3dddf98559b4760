/* sweep_results.h -- the results of many runs, in one SQLite file.
 *
 *     run      one row for each run: what was run, and the verdict
 *     power    one row for each run that was judged: how much it tested
 *     anomaly  one row for each target and signature, with the smallest
 *              history that shows it, in the format jsonl
 *
 * A signature is the name of an anomaly and the kinds of edges of its cycle.
 * Runs of different command lines are different runs, and one that is there is
 * not repeated, so a sweep that was interrupted goes on where it was.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_SWEEP_RESULTS_H
#define PIPELINE_SWEEP_RESULTS_H

#include "driver/driver.h"

/* What was run. */
struct sweep_cell {
    const char *command, *target, *level, *workload;
    uint64_t seed;
};

/* What came of it. */
struct sweep_outcome {
    const char *verdict; // "ok", "violated", "unknown", "refused", "finding"
                         // (of a defect of the server) or "not run"
    const char *note;    // what the database says it is, or why it was refused
    uint64_t committed, aborted, unknown;
    double seconds;
    // The first anomaly; "" if there is none.
    const char *name, *edges, *history;
    const char *headline;      // of the anomaly or finding; of 'unknown', why
    uint64_t pairs, conflicts; // that overlapped, and of these
    const char *weakness;      // of the test; "": it is not weak
    uint64_t transactions;     // of the anomaly
};

struct sweep_results {
    struct database db;
    struct connection *connection;
};

/* Open the file, and make it if it is not there.  A file that is not such a
 * one is refused. */
bool sweep_results_open(struct sweep_results *r, const char *path,
                        struct err *err);
void sweep_results_close(struct sweep_results *r);

/* Whether the run is there already. */
bool sweep_results_has(struct sweep_results *r, const struct sweep_cell *cell,
                       bool *out, struct err *err);

bool sweep_results_add(struct sweep_results *r, const struct sweep_cell *cell,
                       const struct sweep_outcome *outcome, struct err *err);

/* The table at the end, of one command line.  Columns: target, level, workload,
 * how many runs there are, how many are violated, unknown and refused, the
 * names of the anomalies, why one is unknown, how many are weak, why one of
 * these is, how many have findings and do not run, and one such finding. */
bool sweep_results_table(struct sweep_results *r, const char *command,
                         struct result_rows *out, struct err *err);

#endif
