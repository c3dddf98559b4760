/* resolve.h -- which transactions count, and who wrote what was read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_RESOLVE_H
#define HISTORY_RESOLVE_H

#include "history/history.h"

/* Resolve h as history.h describes (H1..H4).  Which transactions record the
 * initial values is found out, or, with keep_loading, known by their status.
 * Called once, by the builder. */
void history_resolve(struct history *h, bool keep_loading);

/* Make the orders of lists again without what those read who do not count.
 * Called once, by the builder, after history_resolve. */
void list_orders_counted(struct history *h);

#endif
