/* list_flaw_kind.h -- what is wrong with one read of a list.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_LIST_FLAW_KIND_H
#define HISTORY_LIST_LIST_FLAW_KIND_H

#include "history/read_checks.h"

/* The appends of a history, for looking up the elements of lists. */
struct list_appends {
    const struct history *h;
    txn_id *owner; // by operation: its transaction
    op_id *append; // by value: the append of it by a transaction that is not
                   // aborted, which counts where the element is seen; ID_NONE
    op_id
        *before; // by append: the one before it to its key, in its transaction
    uint32_t *stamp; // by value: 1 + the read that was visited last with it
};

/* Find the flaw of the read op of a list; false where it has none. */
bool list_flaw_kind_find(const struct list_appends *l, op_id op,
                         struct flaw *f);

#endif
