/* run_options.h -- the options of a run, which 'assay test' and 'assay collect'
 * share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_OPTIONS_RUN_OPTIONS_H
#define CLI_OPTIONS_RUN_OPTIONS_H

#include "cli/cli.h"
#include "pipeline/test_run.h"

enum { RUN_KEYS = 100 }; // the default, except for applications

/* Parse the options of a run.  The caller sets the observer. */
bool run_options_parse(const struct options *o, struct test_run_options *out,
                       struct err *err);

#endif
