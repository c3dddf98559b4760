/* run_show.h -- show a run of a workload, during the run and at its end.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_RUN_SHOW_H
#define CLI_RUN_SHOW_H

#include "cli/cli.h"
#include "pipeline/test_run.h"

struct run_show {
    bool quiet;
    double shown; // when progress was last shown, in seconds of the run
    bool is_line; // there is a line of progress on the terminal
};

/* Functions that show progress on stderr. */
struct test_run_observer run_show_observer(struct run_show *s);

/* Remove the line of progress. */
void run_show_clear(struct run_show *s);

/* Show what was run and how it went. */
void run_show_summary(const struct test_run *t, const char *workload,
                      FILE *out);

/* Show its findings; the exit status that they ask for, 0 without any. */
int run_show_findings(const struct test_run *t, FILE *out);

#endif
