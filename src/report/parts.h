/* parts.h -- what the formats share: sentences and escaping.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "report/report.h"

extern const struct report_format report_text, report_markdown, report_json,
    report_dot, report_svg, report_junit, report_sarif, report_html;

/* "ok", "violated", "unknown". */
const char *part_verdict(enum verdict v);

/* "so", "wr", "ww", "rw", "time". */
const char *part_edge(enum edge_kind kind);

/* "committed", "aborted", ... */
const char *part_status(enum txn_status status);

/* Append the names of Adya and Elle that differ: "Adya: G-single, Elle: ...";
 * nothing if there are none. */
void part_other_names(const struct anomaly *a, struct buf *out);

/* Append "These transactions still satisfy ..." and which levels were not
 * decided in time. */
void part_holds(const struct anomaly *a, struct buf *out);

/* How many of the involved transactions are not listed. */
size_t part_unlisted(const struct anomaly *a);

/* Whether there are, or may be, anomalies that are not shown; where a single
 * one was asked for, that is plain. */
bool part_has_more(const struct explanation *e);

/* Append how many there are or may be, "5 of at least 177 anomalies shown", or
 * why there is none; nothing where all are shown. */
void part_more(const struct explanation *e, struct buf *out);

/* Append a verdict and what part_more says about it. */
void part_verdict_and_more(const struct level_result *r,
                           const struct explanation *e, struct buf *out);

/* Append the verdicts that a drawing of the anomalies does not show: those that
 * are not ok and have no anomaly. */
void part_undrawn(const struct report_run *run, struct buf *out);

/* Append which are the strongest levels that hold, "strongest level that
 * holds: snapshot (si)", and which were not decided. */
void part_strongest(const struct check *c, struct buf *out);

/* Whether there is something to say about the order that timestamps of a
 * server claim; and append it, "the order of the timestamps is contradicted:
 * ...". */
bool part_has_claim(const struct level_result *r);
void part_claim(const struct level_result *r, struct buf *out);

/* Append text as the contents of an element or of a quoted attribute in HTML
 * and XML.  Characters that XML does not allow become U+FFFD. */
void part_xml(struct buf *out, const char *text);

/* Append text as Markdown, escaped so that it shows as it is. */
void part_markdown(struct buf *out, const char *text);

/* Append a path as a relative or absolute URI reference, in quotes. */
void part_uri(struct buf *out, const char *path);

/* Append the anomaly as plain lines, without its headline, for text, JSON,
 * JUnit and SARIF.  'indent' goes before each line. */
void part_story(const struct anomaly *a, const char *indent, struct buf *out);

/* Append when a transaction ran: "+20.56..42.51 ms" after a recording began,
 * "@3..4" where units are not known. */
void part_times(const struct anomaly *a, const struct anomaly_txn *t,
                struct buf *out);

/* Append what was sent for a transaction, each line with 'indent' in front:
 * its statements with their places, else its metadata. */
void part_statements(const struct anomaly_txn *t, const char *indent,
                     struct buf *out);

/* Append the text with long names shortened, and a list that has each of them
 * in full; where in 'out' the list begins.  'keep' is a name that stays as it
 * is, or "".  What comes of the first lines of a text does not depend on the
 * rest. */
size_t part_shorten(const char *text, const char *keep, struct buf *out);

/* Append these lines; those longer than 'width' are broken. */
void part_wrap(const char *text, size_t width, struct buf *out);

#endif
