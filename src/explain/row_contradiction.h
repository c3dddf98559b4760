/* row_contradiction.h -- a transaction whose reads of one row disagree.
 *
 * A write of a row answers all questions about it at once (history/row), so a
 * transaction that reads a row twice, by its key or by searches, must have
 * seen one version of it, from read atomic on.  Where no version fits both
 * reads, this alone is the violation, whichever of many transactions wrote what
 * was read.  The general argument rules out the possible writers one by one and
 * is too long to be read where there are many.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_ROW_CONTRADICTION_H
#define EXPLAIN_ROW_CONTRADICTION_H

#include "explain/reduce/reduce.h"

struct row_contradiction {
    txn_id txn;
    op_id first, second; // its reads, in its order
};

/* Find the first transaction that contradicts itself.  False if there is none,
 * or the budget is spent.
 *
 *   time   pairs of reads of one row by one transaction, times the writers
 *          that they may have read from */
bool row_contradiction_find(const struct history *h, struct budget *budget,
                            struct row_contradiction *out);

/* Make 'out' of the two reads and all writes of the row that they may have
 * seen.  This violates read atomic and every level above; it is unfinished
 * unless one read without the other holds 'level'. */
bool row_contradiction_reduce(const struct history *h,
                              const struct row_contradiction *c,
                              enum level level, const struct reduce_options *o,
                              struct reduced *out, struct err *err);

#endif
