/* missed_rows.h -- the rows that one statement did not find.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_MISSED_ROWS_H
#define RECORD_MISSED_ROWS_H

#include "record/evaluation.h"

/* Run the prepared statement of a step in the state of its snapshot, and with
 * one row after the other in another state; fill in s->missed.  False if it
 * does not do again what was recorded. */
bool missed_rows(struct evaluation *e, uint32_t txn, struct recorded_step *s,
                 const char *snapshot);

/* Whether a recording has not reached the limits of its evaluation. */
bool missed_rows_can_go_on(const struct evaluation *e);

#endif
