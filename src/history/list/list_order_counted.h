/* list_order_counted.h -- the orders of lists, from the transactions that
 * count.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_LIST_ORDER_COUNTED_H
#define HISTORY_LIST_LIST_ORDER_COUNTED_H

#include "history/history.h"

/* Recompute the orders of lists from the reads of the transactions that count
 * or may count.  Called once, by the builder, after history_resolve.
 *
 *   time   O(operations); where others read lists, also O(elements read) */
void list_order_counted_apply(struct history *h);

#endif
