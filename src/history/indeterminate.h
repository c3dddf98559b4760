/* indeterminate.h -- which indeterminate transactions count or may count.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_INDETERMINATE_H
#define HISTORY_INDETERMINATE_H

#include "history/history.h"

/* Decide for each indeterminate transaction whether it counts, may count or is
 * left out, and set h->n_optional.
 *
 *   require  the operations are marked, and each value knows its committed
 *            writers
 *   time     O(operations), and a sort of the operations of indeterminate ones
 */
void indeterminate_decide(struct history *h);

#endif
