/* report.h -- results and their explanations in several formats.
 *
 * A format is a row of the table: it begins, takes one history after the
 * other, and ends.  All of them show the same explanation and none looks at a
 * history, so a run over many inputs holds one at a time.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buf.h"
#include "explain/explain.h"
#include "history/summary.h"

/* One history and what is known about it. */
struct report_run {
    const char *path;   // as the user wrote it
    const char *format; // of the input
    const struct summary *summary;
    const struct check *check;
    // One for each row of check->results; those of violated ones are filled.
    const struct explanation *explanations;
};

struct report_style {
    const char *version; // of this program
    const char *command; // the user's command line, or NULL
    bool colour;         // text
    size_t width;        // text: columns to stay in; 0 = lines are not broken
    bool verdicts_only;  // text: no explanations
};

/* A format that ends has to see all of what it wrote: the buffer is emptied
 * between histories only where 'end' is NULL. */
struct report_format {
    const char *name, *suffix, *help;
    void (*begin)(const struct report_style *s, struct buf *out); // may be NULL
    void (*add)(const struct report_run *run, const struct report_style *s,
                struct buf *out);
    void (*end)(const struct report_style *s, struct buf *out); // may be NULL
};

// text, markdown, json, dot, svg, junit, sarif, html; ends in NULL.
extern const struct report_format *const report_table[];

const struct report_format *report_find(const char *name);

/* "serializable: violated: lost update on key 4, 3 transactions", without the
 * name of the history; e may be NULL where the level is not violated. */
void report_verdict(const struct level_result *r, const struct explanation *e,
                    struct buf *out);

/* An anomaly as text for a terminal, number i of n, headline first; and as the
 * JSON object that stands under "anomalies". */
void report_anomaly_text(const struct anomaly *a, const struct report_style *s,
                         size_t i, size_t n, struct buf *out);
void report_anomaly_json(const struct anomaly *a, struct buf *out);

#endif
