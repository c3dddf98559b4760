/* list_flaw_text.h -- what is wrong with a list, in words.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_LIST_FLAW_TEXT_H
#define HISTORY_LIST_LIST_FLAW_TEXT_H

#include "history/flaw_text.h"

/* Append what is wrong with a list, as the end of a sentence that begins with
 * "T did r(l, [1 2])"; flaw_text_end calls it. */
void list_flaw_text_append(const struct history *h, const struct flaw *f,
                           flaw_show_txn *show_txn, struct buf *out);

#endif
