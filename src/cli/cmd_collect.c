/* cmd_collect.c -- assay collect: run a workload and record its history.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/test_run.h"

#include <string.h>

int
cmd_collect(const struct options *o)
{
    struct err err = {0};
    struct test_run f;
    if (!o->paths.n && !o->start)
        return cli_usage_error("collect wants a target; see 'assay collect "
                               "--help'");
    if (o->record && strcmp(o->output, "-") == 0)
        return cli_usage_error("collect wants a file to write to, -o FILE");
    if (!test_run_begin(o, &f, &err))
        return cli_report_error(&err);
    const bool ok = test_run_run(&f, o->record ? o->output : NULL, &err);
    if (!o->quiet && f.stats.seconds > 0)
        test_run_show(&f, stderr);
    test_run_end(&f);
    return ok ? EXIT_HOLDS : cli_report_error(&err);
}
