/* report.h -- results and their explanations in several formats.
 *
 * A report begins, takes one history after another, and ends.  A format is a
 * row of the table.  All formats show the same explanation, and none keeps a
 * history, so a run over many inputs holds one history at a time.
 *
 * Text is collected in 'out'.  The caller may take the text and empty the
 * buffer at any time: the state of a format is in 'state', not in the text.
 *
 *     report_begin(&r, report_find("sarif"), &style);
 *     report_add(&r, &run); // once for each history
 *     report_end(&r);
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buf.h"
#include "explain/explain.h"
#include "history/overlap.h"
#include "history/partial.h"
#include "history/summary.h"
#include "history/timeline.h"
#include "report/origin.h"
#include "report/page/sides.h"

/* One history and what is known about it. */
struct report_run {
    const char *path;   // as the user wrote it
    const char *file;   // that has the lines of transactions; NULL: path
    const char *format; // the format of the input
    const struct summary *summary;
    const struct check *check;
    // One for each row of check->results, filled if the level is violated.
    const struct explanation *explanations;
    const struct check *others;         // levels not asked for; or NULL
    const struct report_origin *origin; // of a recording; or NULL
    const struct overlap *power;        // of the test; or NULL
    bool power_required;                // a weak test does not pass
    const struct timeline *timeline;    // of a recording with times; or NULL
    const struct report_sides *sides;   // of a prediction, or NULL
    const struct partial *partial;      // what was not recorded, or NULL
    bool must_be_complete;              // and nothing may be missing
};

struct report_style {
    const char *version; // of this program
    const char *date;    // when the report is made, or NULL
    const char *command; // the user's command line, or NULL
    bool colour;         // text
    size_t width;        // text: columns; 0 = lines are not broken
    bool verdicts_only;  // text: no explanations
    bool all;            // text, Markdown: anomalies, not one of each kind
};

struct report;

/* A format appends to to->out and may use to->state. */
struct report_format {
    const char *name, *suffix, *help;
    bool is_for_tests;                // shows verdicts as tests or alerts
    void (*begin)(struct report *to); // may be NULL
    void (*add)(struct report *to, const struct report_run *run);
    /* One level, the state.early-th, before the rest; may be NULL. */
    bool (*add_early)(struct report *to, const struct report_run *run);
    /* A history that cannot be read or checked; may be NULL. */
    void (*fail)(struct report *to, const char *path, const char *why);
    void (*end)(struct report *to); // may be NULL
};

/* What has been written so far. */
struct report_state {
    size_t runs;    // histories
    size_t results; // results of SARIF
    size_t early;   // levels of the next run that are written already
};

/* A report that is being written. */
struct report {
    const struct report_format *format; // NULL: no report is written
    struct report_style style;
    struct report_state state;
    struct buf out;
};

/* Begin a report.  Without a format the other calls do nothing. */
void report_begin(struct report *r, const struct report_format *format,
                  const struct report_style *style);
void report_add(struct report *r, const struct report_run *run);

/* Write the next level, state.early, before the rest of its run is known;
 * report_add leaves it out then.  Of 'run' the path is known, and the rows of
 * this level and of those before it.  False: it has to wait for the rest. */
bool report_add_early(struct report *r, const struct report_run *run);
void report_fail(struct report *r, const char *path, const char *why);
void report_end(struct report *r);
void report_free(struct report *r);

/* Write a complete HTML report to DIR/index.html.  DIR is made if it does not
 * exist. */
bool report_write_page(const struct report *r, const char *dir,
                       struct err *err);

// text, markdown, json, dot, svg, junit, sarif, html; ends with NULL.
extern const struct report_format *const report_table[];

const struct report_format *report_find(const char *name);

/* "serializable: violated: lost update on key 4, 3 transactions", without the
 * name of the history; e may be NULL if the level is not violated. */
void report_verdict(const struct level_result *r, const struct explanation *e,
                    struct buf *out);

/* An anomaly as text for a terminal, headline first, with "1 of 5: " or "" in
 * front; and as a JSON object, a member of that name or an element (NULL). */
void report_anomaly_text(const struct anomaly *a, const struct report_style *s,
                         const char *number, struct buf *out);
void report_anomaly_json(const char *name, const struct anomaly *a,
                         struct buf *out);

/* The members "sessions", "transactions" and "operations" of a JSON object. */
void report_sizes_json(const struct summary *s, struct buf *out);

#endif
