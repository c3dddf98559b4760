/* list_flaws.h -- reads of lists that no level allows.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_LIST_FLAWS_H
#define HISTORY_LIST_LIST_FLAWS_H

#include "history/read_checks.h"

/* Append the flaws of the lists that counting transactions read, one for each
 * read and at most 'most' of them, in order of operations; return how many
 * there are in all.
 *
 *   time   O(operations + elements of the orders); where a list is wrong, the
 *          lists of that key are checked element by element */
size_t list_flaws_find(const struct history *h, size_t most, flaw_vec *out);

#endif
