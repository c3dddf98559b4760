/* summary.h -- the tally of a campaign as text, Markdown, JSON, JUnit and HTML.
 *
 * Times and names of machines are in none of them, so that the same results
 * give the same bytes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CAMPAIGN_SUMMARY_H
#define CAMPAIGN_SUMMARY_H

#include "campaign/tally.h"

struct summary_format {
    const char *name;
    void (*put)(const struct tally *t, struct buf *out);
};

// text, markdown, json, junit, html; ends with a row without a name.
extern const struct summary_format summary_table[];

const struct summary_format *summary_find(const char *name);

// Private to summary*.c.
void summary_put_text(const struct tally *t, struct buf *out);
void summary_put_markdown(const struct tally *t, struct buf *out);
void summary_put_json(const struct tally *t, struct buf *out);
void summary_put_junit(const struct tally *t, struct buf *out);
void summary_put_html(const struct tally *t, struct buf *out);

/* "4 of 20 runs (8 to 42 %)", "12 of 20 runs: 10 held, 2 violated". */
void summary_rate(uint64_t k, uint64_t n, struct buf *out);
void summary_runs(const struct tally *t, struct buf *out);

/* The outcomes of the runs of a cell: "held in 7", "violated in 2 of 9 runs
 * (6 to 55 %), refused in 1". */
void summary_cell(const struct tally_cell *c, struct buf *out);

/* A number with commas between thousands. */
void summary_count(uint64_t n, struct buf *out);

/* "lost-update in acct (read+update) on start=mariadb at si". */
void summary_headline(const struct tally_finding *f, struct buf *out);

#endif
