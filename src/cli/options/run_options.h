/* run_options.h -- the options of a run, which 'assay test' and 'assay collect'
 * share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_OPTIONS_RUN_OPTIONS_H
#define CLI_OPTIONS_RUN_OPTIONS_H

#include "cli/cli.h"
#include "pipeline/test_run.h"

/* The default of --keys, except for applications.  With so few, 1000
 * transactions of 'mixed' have sixty chances of a lost update on SQLite, which
 * runs one writer at a time, and more on other databases. */
enum { RUN_KEYS = 100, RUN_MIXED_KEYS = 10 };

uint64_t run_default_keys(const char *workload);

/* Parse the options of a run.  The caller sets the observer. */
bool run_options_parse(const struct options *o, struct test_run_options *out,
                       struct err *err);

#endif
