/* prove_run.h -- SQL programs from files to verdicts and a report.
 *
 *     struct prove_run run;
 *     if (prove_run_open(&request, &run, &err))
 *         for (size_t i = 0; i < run.n_levels; i++)
 *             prove_run_level(&run, i, &verdict, &err);
 *     prove_run_end(&run);  ... run.report.out ...  prove_run_close(&run);
 *
 * Each level has a limit of time of its own, which holds in every phase
 * (base/limits/limit.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_PROVE_RUN_H
#define PIPELINE_PROVE_RUN_H

#include "prove/execute/axioms.h"
#include "report/prove/prove_report.h"

struct prove_request {
    const char *const *paths; // SQL files
    size_t n_paths;
    // "si,f=rc"; or a file with a level of the user's; and "f,g" of functions
    // that never run concurrently.
    const char *const *levels, *level_file, *const *pairs;
    size_t n_levels, n_pairs;
    uint32_t members;     // transactions of an anomaly, at most
    bool graph;           // a cycle of dependencies is an anomaly
    bool all;             // show every distinct anomaly
    bool weakest;         // which levels are enough; takes no levels
    bool repair;          // look for changes that suffice
    const char *sequence; // the functions to look at alone; NULL: all
    const char *schedule; // where the anomaly is written as a script, or NULL
    const char *queries;  // the directory for the queries of a proof, or NULL
    double timeout;       // seconds for each level; 0 = none
    const char *format;   // of the report
    struct report_style style;
};

struct prove_run {
    struct prove_request request;
    struct program program;
    struct level_choice levels[LEVELS];
    size_t n_levels;
    struct axioms own;
    struct buf files; // the names of the files, separated by spaces
    struct buf notes; // lines for the user, beside the report
    struct prove_report report;
};

/* Read the programs and the levels, and begin the report; to be closed in any
 * case.
 *
 *   error  ERR_USAGE for levels that do not fit the request; ERR_SYNTAX for a
 *          program that is not understood */
bool prove_run_open(const struct prove_request *request, struct prove_run *run,
                    struct err *err);

/* Decide level i, add it to the report, and write the files of the request. */
bool prove_run_level(struct prove_run *run, size_t i, enum prove_verdict *out,
                     struct err *err);

/* Find the weakest levels and put them into the report.  PROVE_UNKNOWN where
 * a level is neither proved nor has an anomaly. */
bool prove_run_weakest(struct prove_run *run, enum prove_verdict *out,
                       struct err *err);

void prove_run_end(struct prove_run *run);
void prove_run_close(struct prove_run *run);

#endif
