/* verify_list_order.h -- what the lists of a history, and versions of rows that
 * name the one before, say about who came first.
 *
 * SPDX-License-Identifier: MIT */
#ifndef VERIFY_LISTS_VERIFY_LIST_ORDER_H
#define VERIFY_LISTS_VERIFY_LIST_ORDER_H

#include "evidence/certificate.h"

/* Where elements stand in the lists that transactions which count have read;
 * these lists are sound (verify_lists), so an element has one author and one
 * place. */
struct verify_list_order {
    const struct history *h;
    uint32_t *index; // by value: 1 + its place in its key's order, or 0; NULL
                     // where there are no lists
    // By transaction: the links of its versions, which are h->links.at[link[i]]
    // from first[t] to first[t + 1]; NULL where there are none.
    uint32_t *first, *link;
};

void verify_list_order_init(struct verify_list_order *l,
                            const struct history *h);
void verify_list_order_free(struct verify_list_order *l);

/* Whether an element of a was seen before one of b in the same list, or was
 * seen where one of b, not seen, must be missing; or a version of b names one
 * of a as the one before; or both name the same one, or a names one of b that b
 * itself replaced: then a's is right behind it, and b's after that. */
bool verify_list_order_before(const struct verify_list_order *l, txn_id a,
                              txn_id b);

/* Whether the transactions of an order, two points each or one, append and
 * write in the orders that were seen. */
bool verify_list_order_check(const struct history *h, const u32_vec *order,
                             bool two_points, struct err *err);

#endif
