/* test_run.h -- running workloads on databases: what test and collect share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_TEST_RUN_H
#define CLI_TEST_RUN_H

#include "cli/cli.h"
#include "collect/collect.h"
#include "server/server.h"

struct test_run {
    const struct options *options;
    const char *target;
    enum isolation isolation;
    struct collect_options collect;

    bool has_servers;
    struct servers servers;
    fault_vec faults;

    char note[128]; // what the database says it is
    char name[256]; // what to call its histories
    struct collect_stats stats;
    double told; // when progress was shown last
    bool is_told;
};

/* Understand the command line, and start the servers that it asks for. */
bool test_run_begin(const struct options *o, struct test_run *f,
                    struct err *err);

/* Run the workload and write its history to path; NULL: nowhere. */
bool test_run_run(struct test_run *f, const char *path, struct err *err);

/* Say what was run and how it went. */
void test_run_show(const struct test_run *f, FILE *out);

/* Stop the servers. */
void test_run_end(struct test_run *f);

#endif
