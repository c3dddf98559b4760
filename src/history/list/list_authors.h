/* list_authors.h -- elements of lists that several transactions appended.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_LIST_AUTHORS_H
#define HISTORY_LIST_LIST_AUTHORS_H

#include "history/history.h"

/* Give every append to a list that is not the one seen a value id of its own,
 * so that an element has one append: of several transactions that may have
 * appended it, one is taken to be the one seen, and nobody sees the others.
 * Where a list shows the element, that is a choice, and h->authors says which
 * was made: the one in 'wanted', which has n rows in ascending order of
 * values, or else the first that may be.
 *
 * Called once, by the builder, before anything is resolved.
 *
 *   time   O(operations); where elements repeat, also O(elements read) */
void list_authors_choose(struct history *h, const struct list_author *wanted,
                         size_t n);

#endif
