/* cmd_report.c -- assay report: the HTML report of histories.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/inspect.h"
#include "cli/page.h"
#include "version.h"

#include <string.h>

int
cmd_report(const struct options *o)
{
    struct err err = {0};
    struct inspect_options how;
    if (!o->paths.n)
        return usage_error("report wants a history; see 'assay report --help'");
    if (strcmp(o->output, "-") == 0)
        return usage_error("report wants -o DIR, where the page is to go");
    if (!inspect_options(o, &how, &err))
        return report_error(&err);
    how.explain_wanted = how.summary_wanted = true;
    int status = EXIT_HOLDS;
    struct page page;
    const struct report_style style = {.version = ASSAY_VERSION,
                                       .command = o->command};
    page_begin(&page, o->output, &style);
    for (size_t i = 0; i < o->paths.n; i++) {
        struct inspection inspection;
        if (!inspect(o, &how, o->paths.at[i], &inspection, &err)) {
            status = exit_worse(status, report_error(&err));
            err = (struct err){0};
            continue;
        }
        const struct report_run run = inspection_run(&inspection);
        page_add(&page, &run);
        status = exit_worse(status, exit_of_check(&inspection.check));
        inspection_free(&inspection);
    }
    if (!page_end(&page, &err))
        status = report_error(&err);
    return status;
}
