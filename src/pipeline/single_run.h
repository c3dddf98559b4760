/* single_run.h -- one run of a workload and its verdict, for what makes many
 * (sweep_run.h, shrink_run.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_SINGLE_RUN_H
#define PIPELINE_SINGLE_RUN_H

#include "evidence/certificate.h"
#include "explain/anomaly_kinds.h"
#include "pipeline/test_run.h"

struct single_run_request {
    struct test_run_options run;
    const char *workload; // its name
    level_set levels;
    bool session_order, verify;
    unsigned threads;
};

struct single_run {
    enum verdict verdict;
    struct buf reason;   // why it is unknown
    struct buf finding;  // the first one (report/origin.h)
    int finding_status;  // 0: none
    struct buf weakness; // of the test where the level held (report/power.h)
    uint64_t pairs, conflicts; // that overlapped, and of these
    char note[128];            // what the database says it is
    char target[256];          // without a password
    struct collect_stats stats;
    // The first anomaly, if the level is violated and explained.
    bool has_anomaly;
    enum anomaly_kind kind;
    struct buf edges, headline, story;
    struct buf history; // of the anomaly alone, as jsonl
    size_t transactions;
};

/* Run the workload, and check its history at the levels.  'served' is the
 * address of the servers to start if they run already, or NULL.  The caller
 * frees *out in any case. */
bool single_run(const struct single_run_request *q, const char *served,
                struct single_run *out, struct err *err);
void single_run_free(struct single_run *r);

#endif
