/* list_flaw_text.h -- what is wrong with a list, in words.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_LIST_FLAW_TEXT_H
#define HISTORY_LIST_LIST_FLAW_TEXT_H

#include "history/read_checks.h"

/* Append what is wrong with a list, as the end of a sentence that begins with
 * "T did r(l, [1 2])".  show_txn appends the name of a transaction. */
void list_flaw_text_append(const struct history *h, const struct flaw *f,
                           void (*show_txn)(const struct history *h, txn_id t,
                                            struct buf *out),
                           struct buf *out);

#endif
