/* prove_output.h -- the results of 'assay prove' as Markdown, SARIF and a page
 * for a browser.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PROVE_PROVE_OUTPUT_H
#define CLI_PROVE_PROVE_OUTPUT_H

#include "cli/options/options.h"
#include "report/report.h"
#include "robust/prove.h"

/* A verdict, with one anomaly if there is one. */
struct prove_shown {
    const char *levels;  // in words
    const char *verdict; // "proved", "anomaly", "unknown"
    const char *about;   // the rest of the verdict line
    const struct program *program;
    const struct finding *finding; // NULL: no anomaly
};

/* Output in one of these formats. */
struct prove_output {
    const struct options *options;
    size_t n; // results so far
    struct buf out;
    struct report page; // of the page; its text goes to 'out' at the end
};

struct prove_format {
    const char *name;
    void (*begin)(struct prove_output *to, const char *files);
    /* Add a result.
     *
     *   error  ERR_INTERNAL if an anomaly cannot be explained; ERR_IO if a
     *          file of the program can no longer be read */
    bool (*add)(struct prove_output *to, const struct prove_shown *r,
                struct err *err);
    void (*end)(struct prove_output *to);
};

/* SARIF locates an anomaly at the statements that read what another one
 * changes; its code flow is the execution, step by step.  The page has the
 * source of the functions beside each anomaly. */
extern const struct prove_format prove_markdown, prove_sarif, prove_html;

/* The format of that name; NULL if it is none of these. */
const struct prove_format *prove_format_find(const char *name);

#endif
