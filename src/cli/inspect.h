/* inspect.h -- what check, report and test share: inspect histories according
 * to the command line, and turn the results into reports, messages and an exit
 * status.
 *
 *     inspect_begin   parses the options
 *     inspect_file    once for each history, or
 *     inspect_files   for all of them
 *     inspect_end     ends the reports
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include "cli/cli.h"
#include "cli/progress.h"
#include "pipeline/inspection_batch.h"
#include "pipeline/kept_run.h"

#include <pthread.h>

// Where results go: the terminal, the page, and files.
enum {
    INSPECT_STDOUT,
    INSPECT_PAGE,
    INSPECT_JSON,
    INSPECT_JUNIT,
    INSPECT_SARIF,
    INSPECT_MARKDOWN,
    INSPECT_REPORTS
};

struct inspect {
    struct inspection_options options;
    struct report reports[INSPECT_REPORTS]; // may be without a format
    const char *page;                       // directory of the page, or NULL
    const char *files[INSPECT_REPORTS];     // NULL: none
    struct kept_run *kept; // where violated histories are kept, or NULL
    const char *recording; // what to keep: a file, or NULL
    size_t number;         // of several histories; 0: the only one
    size_t n_kept;
    char date[32]; // of the page
    struct progress *progress;
    bool quiet;

    // Levels of the history that is being checked, under the lock.
    pthread_mutex_t lock;
    const char *phases[LEVELS]; // what is done for it; NULL: nothing
    level_set held, violated;   // decided
    level_set final;            // decided, and explained where violated
    level_set shown;            // with a verdict line on stdout
};

/* Take levels, limits, engines and reports from the command line.  The page is
 * written to 'page' (NULL: there is none), the result to stdout unless
 * 'page_only'. */
bool inspect_begin(const struct options *o, const char *page, bool page_only,
                   struct inspect *out, struct err *err);

/* Keep what is found to be violated.  Comes before the first history. */
void inspect_keep(struct inspect *i, struct kept_run *kept);

/* Inspect a history and show it under that name (NULL: its path); return the
 * exit status of its verdicts. */
int inspect_file(struct inspect *i, const char *path, const char *name);

/* Print an error and add it to the reports: there is no history to inspect. */
int inspect_fail(struct inspect *i, const char *name, const struct err *err);

/* Check a stream within memory for its keys and 'window' transactions, and
 * write its part that shows a violation to 'part' (NULL: do not); return the
 * exit status.  'stats': print what the passes did. */
struct inspect_stream {
    size_t window;
    const char *part;
    bool stats;
};
int inspect_stream(struct inspect *i, const struct inspect_stream *s,
                   const char *path);

/* Inspect several, with all threads, and print their results in this order;
 * return the worst exit status. */
int inspect_files(struct inspect *i, const char *const *paths, size_t n);

/* End the reports and write the page; return the exit status. */
int inspect_end(struct inspect *i, int status);

/* The format of results that the command line asks for. */
bool inspect_report_format(const struct options *o,
                           const struct report_format **out, struct err *err);

/* The style of results. */
struct report_style inspect_style(const struct options *o);

#endif
