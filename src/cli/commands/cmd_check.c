/* cmd_check.c -- assay check: verdicts, and explanations of violations.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/inspect.h"

/* What does not go together with --stream; NULL: everything does. */
static const char *
find_conflict(const struct options *o)
{
    return o->timeout > 0 || o->memory ? "--stream takes no --timeout and no "
                                         "--memory; --window bounds its memory"
           : !o->session_order         ? "--stream needs session order"
           : o->require_power ? "--stream does not count what --require-power "
                                "needs"
                              : NULL;
}

static int
check_streams(struct inspect *inspect, const struct options *o)
{
    const struct inspect_stream s = {
        .window = (size_t)o->window, .part = o->part, .stats = o->stats};
    int status = EXIT_HOLDS;
    for (size_t i = 0; i < o->paths.n; i++)
        status =
            cli_exit_worse(status, inspect_stream(inspect, &s, o->paths.at[i]));
    return status;
}

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
    if ((o->certificate || o->reduced || o->part) && o->paths.n != 1)
        return cli_usage_error(
            "--certificate, --reduced and --part need exactly one history");
    if (o->part && !o->stream)
        return cli_usage_error("--part needs --stream");
    if (o->stream && find_conflict(o))
        return cli_usage_error("%s", find_conflict(o));
    if (!inspect_begin(o, o->report, false, &inspect, &err))
        return cli_report_error(&err);
    const int status = o->stream
                           ? check_streams(&inspect, o)
                           : inspect_files(&inspect, o->paths.at, o->paths.n);
    return inspect_end(&inspect, status);
}
