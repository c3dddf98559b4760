/* single_run.h -- one run of a workload and its verdict, for commands that make
 * many: --sweep and --shrink.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_SINGLE_RUN_H
#define CLI_SINGLE_RUN_H

#include "cli/cli.h"
#include "collect/collect.h"
#include "evidence/certificate.h"
#include "explain/anomaly_kinds.h"

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

/* Run what the options say, and check it at their level.  'served' is the
 * address of the servers to start if they run already, or NULL.  The caller
 * frees *out in any case. */
bool single_run(const struct options *o, const char *served,
                struct single_run *out, struct err *err);
void single_run_free(struct single_run *r);

/* Fail if the options ask for something that only a single run gives; 'option'
 * names the one that makes several. */
bool single_run_is_enough(const struct options *o, const char *option,
                          struct err *err);

#endif
