/* list_edges.h -- what the lists that were read say about the order of the
 * transactions that appended to them, and versions of rows about the order of
 * those that wrote them.
 *
 * A list that was read shows its elements in the order in which they were
 * appended (Elle: Kingsbury and Alvaro, VLDB 2020).  An element that
 * no read shows was appended after all those that a read shows.  Both hold at
 * every level.  Only reads of transactions that count or may count say
 * anything.
 *
 * A version of a row that names the one before it was written later.  Two that
 * name the same one contradict each other: each must come directly after it, so
 * each comes before the other.  So do a version that its transaction replaced
 * itself and one of another transaction that names it.
 *
 * The checker of certificates has its own code for this
 * (verify/lists/verify_list_order.h), on purpose.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DEPEND_LIST_EDGES_H
#define DEPEND_LIST_EDGES_H

#include "history/history.h"

/* 'from' appended to a list, or wrote a row, before 'to' did. */
struct list_edge {
    txn_id from, to;
};
typedef VEC(struct list_edge) list_edge_vec;

/* Append edges that imply the whole order: from the author of an element to the
 * author of the next one, and from the author of the last element that was read
 * to the authors of elements that were not.  Elements with several authors
 * are left out.  The same for each version of a row that names another.
 *
 *   time   O(operations + elements + links); nothing where there is neither */
void list_edges_find(const struct history *h, list_edge_vec *out);

/* Where the elements stand, for questions about single pairs. */
struct list_places {
    const struct history *h;
    uint32_t *place; // by value: 1 + its place in its key's order, or 0 where
                     // no read shows it; NULL where there are no lists
};

void list_places_init(struct list_places *l, const struct history *h);
void list_places_free(struct list_places *l);

/* Whether a list shows an element of a before one of b, or shows one of a and
 * does not show one of b; or versions of a row say that a comes before b.
 *
 *   time   operations of a times operations of b; links */
bool list_places_precede(const struct list_places *l, txn_id a, txn_id b);

/* Whether versions of row k say that a comes before b. */
bool list_places_link(const struct history *h, key_id k, txn_id a, txn_id b);

#endif
