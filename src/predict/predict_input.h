/* predict_input.h -- a history as prediction takes it: registers whose reads
 * each have one writer.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PREDICT_PREDICT_INPUT_H
#define PREDICT_PREDICT_INPUT_H

#include "history/history.h"

struct predict_input {
    bool each_alone; // each transaction is a session of its own
    bool with_locks; // keep statements and locks (history/row/serial_rows.h)
    bool is_exact;   // refuse a history that would have to be replaced
    bool is_lent;    // *h is a copy of the pointers of a history that others
                     // keep: leave that as it is
    unsigned threads;
};

/* Replace *h by registers where it has rows or repeated values, or where
 * sessions change (history/row/serial_rows.h).  Transactions that are alone
 * are named after their endpoints: "withdraw 2".  Fails for a history that is
 * not serializable: then check has the answer already. */
bool predict_input_prepare(struct history *h, const struct predict_input *how,
                           struct err *err);

#endif
