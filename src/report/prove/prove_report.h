/* prove_report.h -- the results of 'assay prove' as text, JSON, Markdown,
 * SARIF, JUnit and a page for a browser.
 *
 *     struct prove_report r;
 *     prove_report_begin(&r, "html", &style, &program, "bank.sql");
 *     prove_report_add(&r, &level, &err);     for each level
 *     prove_report_end(&r);  ... r.out ...  prove_report_free(&r);
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PROVE_PROVE_REPORT_H
#define REPORT_PROVE_PROVE_REPORT_H

#include "explain/explain.h"
#include "prove/robust/repair/repair.h"
#include "prove/robust/weakest.h"
#include "report/report.h"

struct prove_format;

struct prove_report {
    const struct prove_format *format;
    struct report_style style;
    const struct program *program;
    const char *files; // the names of the program's files
    size_t n;          // results so far
    struct buf cases;  // of JUnit, until the counts are known
    size_t failures, errors;
    double seconds;
    struct buf out;
    struct report page; // of the page; its text goes to 'out' at the end
};

/* The result of a level. */
struct prove_level_result {
    const struct level_choice *levels;
    const struct prove_result *result;
    const struct findings *each; // of --all; empty: the finding of the result
    // By finding, where the format shows pictures (prove_report_explains).
    const struct explanation *explanations;
    const struct buf *repairs; // as prove_report_repair writes them
};

/* Whether there is a format of this name. */
bool prove_report_has(const char *format);

void prove_report_begin(struct prove_report *to, const char *format,
                        const struct report_style *style,
                        const struct program *program, const char *files);
/* Whether results can be printed before the end: text. */
bool prove_report_is_text(const struct prove_report *to);
/* Whether findings have to be explained before they are added. */
bool prove_report_explains(const struct prove_report *to);
/* Add a level, once for each of its findings.
 *
 *   error  ERR_IO if a file of the program can no longer be read */
bool prove_report_add(struct prove_report *to,
                      const struct prove_level_result *r, struct err *err);
void prove_report_end(struct prove_report *to);
void prove_report_free(struct prove_report *to);

/* Append the weakest levels, for all functions and for each. */
void prove_report_weakest(const struct program *p, const char *files,
                          const struct weakest *w, bool json, struct buf *out);

/* Append the repair of a level that is not proved, or why there is none: stop
 * is the limit that was reached before there was any. */
void prove_report_repair(const struct program *p, const struct repair *r,
                         enum repair_by by, bool json, struct buf *out);
void prove_report_no_repair(const struct limit_stop *stop, bool json,
                            struct buf *out);

/* "proved", "anomaly", "unknown". */
const char *prove_verdict_name(enum prove_verdict v);

#endif
