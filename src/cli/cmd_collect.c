/* cmd_collect.c -- assay collect: run a workload and record its history.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/fieldwork.h"

#include <string.h>

int
cmd_collect(const struct options *o)
{
    struct err err = {0};
    struct fieldwork f;
    if (!o->paths.n && !o->start)
        return usage_error("collect wants a target; see 'assay collect "
                           "--help'");
    if (o->record && strcmp(o->output, "-") == 0)
        return usage_error("collect wants a file to write to, -o FILE");
    if (!fieldwork_begin(o, &f, &err))
        return report_error(&err);
    const bool ok = fieldwork_run(&f, o->record ? o->output : NULL, &err);
    if (!o->quiet && f.stats.seconds > 0)
        fieldwork_show(&f, stderr);
    fieldwork_end(&f);
    return ok ? EXIT_HOLDS : report_error(&err);
}
