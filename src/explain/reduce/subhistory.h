/* subhistory.h -- a part of a history, as a history of its own.
 *
 * Taking a transaction out takes its operations out and every read that may
 * have come from it: otherwise the rest would look as if no transaction had
 * written the value, or as if one of several candidates were the only one.  So
 * a part of a history that satisfies a level satisfies it too, and a part that
 * violates a level is a reason why the whole does.
 *
 * A list is read from the transaction that appended its last element, or the
 * last one before the reader's own; when others are taken out, only their
 * elements go.  That is for engines; what is shown to people has whole lists.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_REDUCE_SUBHISTORY_H
#define EXPLAIN_REDUCE_SUBHISTORY_H

#include "history/history.h"

struct subhistory_selection {
    const txn_id *txns; // in ascending order
    size_t n;
    const op_id *without; // operations left out, in ascending order
    size_t n_without;
    const op_id *only;        // where not NULL: these operations and no others,
    size_t n_only;            // independent of who wrote what they read
    const value_id *elements; // where not NULL: no others in lists; ascending
    size_t n_elements;
    bool inconsistent; // with the rejected reads
    bool whole_lists;  // with all their elements
    bool count;        // what counts continues to count, though its readers be
                       // gone: it becomes committed
};

/* Make *out the part of h that consists of these transactions.  Transactions
 * keep their names, and get them where they had none; origin[t] becomes the
 * transaction of h that t is, n of them. */
bool subhistory_make(const struct history *h,
                     const struct subhistory_selection *selection,
                     struct history *out, txn_id *origin, struct err *err);

#endif
