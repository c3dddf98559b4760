/* flaw_text.h -- an inconsistent read in words.
 *
 * Every sentence about a flaw comes from here: one line on a terminal, and the
 * story of an anomaly, which names transactions in its own way.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_FLAW_TEXT_H
#define HISTORY_FLAW_TEXT_H

#include "history/read_checks.h"

/* Appends the name of a transaction. */
typedef void flaw_show_txn(const struct history *h, txn_id t, struct buf *out);

/* "thin-air-read", "aborted-read", ... */
const char *flaw_name(enum flaw_kind kind);

/* Append one sentence that says what happened, with the input's ids. */
void flaw_tell(const struct history *h, const struct flaw *f, struct buf *out);

/* Append the beginning of that sentence, up to the operation that is flawed:
 * "T1 did ", or "T1 did w(x, 1) and then ". */
void flaw_text_begin(const struct history *h, const struct flaw *f,
                     flaw_show_txn *show_txn, struct buf *out);

/* Append its end, after the operation: ", which no transaction wrote". */
void flaw_text_end(const struct history *h, const struct flaw *f,
                   flaw_show_txn *show_txn, struct buf *out);

#endif
