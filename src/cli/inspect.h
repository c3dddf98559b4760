/* inspect.h -- load, check and explain one history: what check and report
 * share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include "cli/cli.h"
#include "cli/page.h"
#include "report/report.h"

struct inspect_options {
    struct check_options check;
    struct explain_options explain;
    bool explain_wanted;
    bool summary_wanted; // in full: the page says more than sizes
};

struct inspection {
    const char *path;
    const struct format *format;
    struct history history;
    struct summary summary;
    struct check check;
    struct explanation *explanations; // one for each of check.results
    double load_seconds;
    double began; // on the clock
};

/* Where a result is shown. */
struct rendering {
    const struct report_format *format; // NULL: only on the page
    const struct report_style *style;
    struct buf *out;
    struct page *page;
};

/* What the command line says about levels, limits and engines. */
bool inspect_options(const struct options *o, struct inspect_options *out,
                     struct err *err);

bool inspect_file(const struct options *o, const struct inspect_options *how,
                  const char *path, struct inspection *out, struct err *err);

/* Show the result within what is left of the limits.  A verdict is never lost:
 * where they are reached, it is shown without its explanation, with the limit
 * that was reached. */
void inspection_render(struct inspection *i, const struct limits *limits,
                       const struct rendering *to);

/* How much of the limit of time of one level is over, all levels together. */
double inspection_spent(const struct inspection *i,
                        const struct limits *limits);

void inspection_free(struct inspection *i);

/* The exit status for these verdicts. */
int inspect_exit(const struct check *c);

/* The format that the command line asks for results in. */
bool inspect_report_format(const struct options *o,
                           const struct report_format **out, struct err *err);

#endif
