/* prove_formats.h -- the formats of prove_report.h; private to report/prove.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PROVE_PROVE_FORMATS_H
#define REPORT_PROVE_PROVE_FORMATS_H

#include "report/prove/prove_report.h"

/* A verdict, with one anomaly if there is one. */
struct prove_shown {
    const struct level_choice *choice;
    const struct prove_result *result;
    const struct buf *repairs;
    const char *levels;  // in words
    const char *verdict; // "proved", "anomaly", "unknown"
    const char *about;   // the rest of the verdict line
    const struct program *program;
    const struct finding *finding;         // NULL: no anomaly
    const struct explanation *explanation; // of the finding, or NULL
};

struct prove_format {
    const char *name;
    bool explains; // shows findings as pictures
    void (*begin)(struct prove_report *to);
    bool (*add)(struct prove_report *to, const struct prove_shown *r,
                struct err *err);
    void (*end)(struct prove_report *to);
};

/* SARIF locates an anomaly at the statements that read what another one
 * changes; its code flow is the execution, step by step.  The page has the
 * source of the functions beside each anomaly. */
extern const struct prove_format prove_text, prove_json, prove_markdown,
    prove_sarif, prove_junit, prove_html;

#endif
