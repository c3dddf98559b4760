/* cmd_report.c -- assay report: the HTML report of histories.
 *
 * SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/inspect.h"
#include "cli/page.h"
#include "version.h"

#include <string.h>

/* One history of the command. */
struct one {
    const struct options *options;
    const struct inspect_options *how;
    const char *path;
    struct page *page;
};

static int
add_one(void *self)
{
    const struct one *one = self;
    struct inspection i;
    struct err err = {0};
    if (!inspect_file(one->options, one->how, one->path, &i, &err))
        return cli_report_error(&err);
    inspection_render(&i, &one->how->check.limits,
                      &(struct rendering){.page = one->page});
    const int status = inspect_exit(&i.check);
    inspection_free(&i);
    return status;
}

int
cmd_report(const struct options *o)
{
    struct err err = {0};
    struct inspect_options how;
    if (!o->paths.n)
        return cli_usage_error(
            "report wants a history; see 'assay report --help'");
    if (strcmp(o->output, "-") == 0)
        return cli_usage_error("report wants -o DIR, where the page is to go");
    if (!inspect_options(o, &how, &err))
        return cli_report_error(&err);
    how.explain_wanted = how.summary_wanted = true;
    int status = EXIT_HOLDS;
    struct page page;
    const struct report_style style = {.version = ASSAY_VERSION,
                                       .command = o->command};
    page_begin(&page, o->output, &style);
    for (size_t i = 0; i < o->paths.n; i++) {
        struct one one = {o, &how, o->paths.at[i], &page};
        struct buf *const out[] = {&page.html};
        status = cli_exit_worse(status, limits_set(&how.check.limits)
                                            ? limit_run(add_one, &one, out, 1)
                                            : add_one(&one));
    }
    if (!page_end(&page, &err))
        status = cli_report_error(&err);
    return status;
}
