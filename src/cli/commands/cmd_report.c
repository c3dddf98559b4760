/* cmd_report.c -- assay report: the HTML report of histories.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/inspect.h"

#include <string.h>

int
cmd_report(const struct options *o)
{
    struct err err = {0};
    struct inspect inspect;
    if (!o->paths.n)
        return cli_usage_error(
            "report needs a history; see 'assay report --help'");
    if (strcmp(o->output, "-") == 0)
        return cli_usage_error("report needs -o DIR, a directory for the page");
    if (!inspect_begin(o, o->output, true, &inspect, &err))
        return cli_report_error(&err);
    inspect.options.explain = inspect.options.full_summary = true;
    int status = EXIT_HOLDS;
    for (size_t i = 0; i < o->paths.n; i++)
        status = cli_exit_worse(status,
                                inspect_file(&inspect, o->paths.at[i], NULL));
    return inspect_end(&inspect, status);
}
