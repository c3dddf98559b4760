/* cmd_check.c -- assay check: verdicts, and explanations of violations.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/inspect.h"

int
cmd_check(const struct options *o)
{
    struct err err = {0};
    struct inspect inspect;
    if (o->help_solver) {
        struct buf text = {0};
        cmd_help_show_solver(&text);
        cli_emit_text(&text);
        buf_free(&text);
        return EXIT_HOLDS;
    }
    if (!o->paths.n)
        return cli_usage_error(
            "check needs a history; see 'assay check --help'");
    if ((o->certificate || o->reduced) && o->paths.n != 1)
        return cli_usage_error(
            "--certificate and --reduced need exactly one history");
    if (!inspect_begin(o, o->report, false, &inspect, &err))
        return cli_report_error(&err);
    const int status = inspect_files(&inspect, o->paths.at, o->paths.n);
    return inspect_end(&inspect, status);
}
