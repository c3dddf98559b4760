/* cmd_collect.c -- assay collect: run a workload and record its history.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/interrupt.h"
#include "cli/options/run_options.h"
#include "cli/run_show.h"

#include <string.h>

int
cmd_collect(const struct options *o)
{
    struct err err = {0};
    struct test_run_options options;
    struct test_run run;
    if (!o->paths.n && !o->start)
        return cli_usage_error(
            "collect needs a target; see 'assay collect --help'");
    if (o->record && strcmp(o->output, "-") == 0)
        return cli_usage_error("collect needs a file to write to, -o FILE");
    if (!run_options_parse(o, &options, &err))
        return cli_report_error(&err);
    struct run_show show = {.quiet = o->quiet};
    options.observer = run_show_observer(&show);
    interrupt_catch();
    int found = EXIT_HOLDS;
    bool ok = test_run_begin(&options, &run, &err);
    if (ok) {
        ok = test_run_record(&run, o->record ? o->output : NULL, &err);
        run_show_clear(&show);
        found = run_show_findings(&run, stderr);
        if (!o->quiet && run.stats.seconds > 0)
            run_show_summary(&run, o->workload, stderr);
        test_run_end(&run);
    }
    interrupt_restore();
    const int status = ok ? EXIT_HOLDS : cli_report_error(&err);
    return found ? found : status;
}
