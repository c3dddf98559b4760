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
    const int status = inspect_files(&inspect, o->paths.at, o->paths.n);
    return inspect_end(&inspect, status);
}
