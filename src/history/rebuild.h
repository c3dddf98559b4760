/* rebuild.h -- the same history once more: with numbers for keys and values,
 * or with other authors of list elements.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_REBUILD_H
#define HISTORY_REBUILD_H

#include "history/history.h"

/* Make *out a copy of h in which the keys are 0, 1, 2, ... and the values 1,
 * 2, 3, ... in order of first appearance, and the initial value is 0.  Two
 * operations have the same key or value exactly when they had it in h, so
 * every verdict stays.  Lists stay lists. */
bool history_rebuild_numbered(const struct history *h, struct history *out,
                              struct err *err);

/* Make *out a copy of h in which seen[i] appended the element of which
 * h->authors.at[i] speaks, wherever a list shows it.  That is settled there:
 * out->authors is empty.  Transactions keep their ids.
 *
 * Where seen[i] is TXN_OPEN the copy leaves out what depends on the answer: the
 * reads of lists that show the element, or all those of the transaction of
 * which it is not known whether it counts.  Whoever it was, what satisfies a
 * level satisfies it without these reads, so a copy that violates a level
 * refutes all answers at once. */
bool history_rebuild_with_authors(const struct history *h, const txn_id *seen,
                                  struct history *out, struct err *err);

#endif
