/* inspect.h -- from the command line to inspections of histories, and from
 * their results to reports, messages and an exit status: what check, report
 * and test share.
 *
 *     inspect_begin   understands the options
 *     inspect_file    once for each history
 *     inspect_end     ends the reports
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include "cli/cli.h"
#include "cli/progress.h"
#include "pipeline/inspection.h"

enum { INSPECT_STDOUT, INSPECT_PAGE, INSPECT_REPORTS };

struct inspect {
    struct inspection_options options;
    struct report reports[INSPECT_REPORTS]; // either may be without a format
    const char *page;                       // directory of the page, or NULL
    struct progress *progress;
    bool quiet;
};

/* What the command line says about levels, limits, engines and reports.  The
 * page goes to 'page', NULL: there is none; the result to stdout unless
 * 'page_only'. */
bool inspect_begin(const struct options *o, const char *page, bool page_only,
                   struct inspect *out, struct err *err);

/* Inspect a history, under that name, NULL: its path; return the exit status
 * of its verdicts. */
int inspect_file(struct inspect *i, const char *path, const char *name);

/* End the reports and write the page; return the exit status. */
int inspect_end(struct inspect *i, int status);

/* Drop the reports, where they are not to be shown. */
void inspect_free(struct inspect *i);

/* The format that the command line asks for results in. */
bool inspect_report_format(const struct options *o,
                           const struct report_format **out, struct err *err);

/* The style of results. */
struct report_style inspect_style(const struct options *o);

#endif
