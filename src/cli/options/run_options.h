/* run_options.h -- the options of a run, which 'assay test' and 'assay collect'
 * share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_OPTIONS_RUN_OPTIONS_H
#define CLI_OPTIONS_RUN_OPTIONS_H

#include "cli/cli.h"
#include "pipeline/single_run.h"

/* The default of --keys, except for applications.  With so few, 1000
 * transactions of 'mixed' have sixty chances of a lost update on SQLite, which
 * runs one writer at a time, and more on other databases. */
enum { RUN_KEYS = 100, RUN_MIXED_KEYS = 10 };

uint64_t run_default_keys(const char *workload);

/* Parse the options of a run.  The caller sets the observer. */
bool run_options_parse(const struct options *o, struct test_run_options *out,
                       struct err *err);

/* The same for one of the runs that --sweep and --shrink make. */
bool run_options_single(const struct options *o, struct single_run_request *out,
                        struct err *err);

/* Fail if the options ask for something that only a single run gives; 'option'
 * names the one that makes several. */
bool run_options_are_for_many(const struct options *o, const char *option,
                              struct err *err);

#endif
