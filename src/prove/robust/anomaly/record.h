/* record.h -- an anomaly of programs as a history.
 *
 * What 'check' understands are transactions that read and write keys.  Here a
 * key is a column of a row, whether a row is there, or a value that a UNIQUE
 * constraint or a foreign key looks for.  A query that names no key reads of
 * every row of the table, also of those that are not there, whether it is.
 * "setup" writes the initial rows, and "end" reads what is left of what the
 * transactions wrote.
 *
 * The history says who read from whom as it happened, so that it satisfies the
 * level; and what a transaction read is all that it depends on, so that a
 * serial order of the history would have been one of the programs.  'check'
 * knows nothing of programs, and is asked before an anomaly is told.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_ANOMALY_RECORD_H
#define PROVE_ROBUST_ANOMALY_RECORD_H

#include "history/history.h"
#include "prove/robust/search/search.h"

/* The history of an anomaly, with transactions T1, T2 and so on; to be freed
 * where there was no error. */
bool record_history(const struct finding *f, struct history *out,
                    struct err *err);

/* What 'check' finds: whether the history satisfies the level, and whether it
 * may be serializable. */
bool record_check(const struct finding *f, bool *allowed, bool *serializable,
                  struct err *err);

#endif
