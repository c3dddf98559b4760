/* run_origin.h -- a run of a workload as reports tell it (report/origin.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_RUN_ORIGIN_H
#define PIPELINE_RUN_ORIGIN_H

#include "pipeline/test_run.h"
#include "report/origin.h"

struct run_origin {
    struct report_origin origin; // its texts are those of the run, or here
    struct buf database, isolation, setup;
    struct report_failure failures[COLLECT_CODES];
    VEC(struct report_nemesis) nemesis;
    struct report_finding findings[SERVER_ERRORS];
};

/* The exit status that the findings of a run ask for; 0: none. */
int run_origin_status(const struct run_origin *r);

/* Tell about a run that is over.  It has to outlive 'out'. */
void run_origin_fill(const struct test_run *t, const char *workload,
                     struct run_origin *out);
void run_origin_free(struct run_origin *r);

#endif
