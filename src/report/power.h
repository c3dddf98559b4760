/* power.h -- how much a verdict 'ok' is worth, in words.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPORT_POWER_H
#define REPORT_POWER_H

#include "history/overlap.h"
#include "report/report.h"

/* The most steps to spend on counting: less than a second. */
#define POWER_WORK 100000000u

/* Append how many transactions overlapped and how often each anomaly could
 * have shown, one per line, indented by two blanks; and as the member "power"
 * of a JSON object. */
void power_text(const struct overlap *p, struct buf *out);
void power_json(const struct overlap *p, level_set levels, bool is_own,
                struct buf *out);
void power_html(const struct overlap *p, struct buf *out);

/* Append why a test of these levels says little, without a full stop: "only 10
 * chances for write skew (30 wanted); 206 of 632 overlapping pairs conflicted".
 * Nothing where it says enough, and where no level held.  A level is tested by
 * the anomaly that it forbids and the next weaker one allows.  With fewer than
 * thirty chances, an anomaly that shows in one of ten is missed in one of
 * twenty tests or more.  Fewer than thirty committed transactions are too few,
 * too: aborted ones have chances, and no level is about them. */
void power_weakness(const struct overlap *p, level_set levels, struct buf *out);

/* The same, followed by what to do.  'is_own': this program ran the test, and
 * its options can be changed. */
void power_advice(const struct overlap *p, level_set levels, bool is_own,
                  struct buf *out);

/* The levels of a run that held, which is what its power is about. */
level_set power_levels(const struct check *c);

#endif
