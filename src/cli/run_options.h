/* run_options.h -- from the command line to a run of a workload: what 'assay
 * test' and 'assay collect' share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "cli/cli.h"
#include "pipeline/test_run.h"

/* Understand the options of a run.  The observer is left to the caller. */
bool run_options_parse(const struct options *o, struct test_run_options *out,
                       struct err *err);

#endif
