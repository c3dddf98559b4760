/* list_authors.h -- elements of lists that several transactions appended.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_LIST_AUTHORS_H
#define HISTORY_LIST_LIST_AUTHORS_H

#include "history/history.h"

/* Make every list element have one append.  Of several transactions that may
 * have appended an element, one is chosen as the author of what lists show, and
 * the appends of the others get their own value ids, which no list shows.
 * Where a list does show the element, h->authors records the choice: the one in
 * 'wanted', which has n rows in ascending order of values, or else the first
 * candidate.
 *
 * Called once, by the builder, before anything is resolved.
 *
 *   time   O(operations); where elements repeat, also O(elements read) */
void list_authors_choose(struct history *h, const struct list_author *wanted,
                         size_t n);

#endif
