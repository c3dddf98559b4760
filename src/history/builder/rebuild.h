/* rebuild.h -- the same history once more: with numbers for keys and values,
 * or with other authors of list elements.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_BUILDER_REBUILD_H
#define HISTORY_BUILDER_REBUILD_H

#include "history/history.h"

/* Make *out a copy of h in which the keys are 0, 1, 2, ... and the values 1,
 * 2, 3, ... in order of first appearance, and the initial value is 0.  Two
 * operations have the same key or value exactly when they had it in h, so
 * every verdict stays.  Lists stay lists. */
bool history_rebuild_numbered(const struct history *h, struct history *out,
                              struct err *err);

/* Make *out a copy of h in which seen[i] is the author of the element of
 * h->authors.at[i], wherever a list shows it.  The copy leaves no choice:
 * out->authors is empty.  Transactions keep their ids.
 *
 * Where seen[i] is TXN_UNCHOSEN, the copy leaves out the reads that depend on
 * the choice: those of lists that show the element, or all reads of lists by
 * the transaction that may count.  A history that satisfies a level satisfies
 * it without these reads as well, so a copy that violates a level refutes every
 * choice at once. */
bool history_rebuild_with_authors(const struct history *h, const txn_id *seen,
                                  struct history *out, struct err *err);

#endif
