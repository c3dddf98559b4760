/* list_order.h -- the order of the elements of each list, as reads show it.
 *
 * The order of a key is the longest list that was read of it.  Lists that are
 * prefixes of the order need not be stored.  All-zero is empty.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HISTORY_LIST_LIST_ORDER_H
#define HISTORY_LIST_LIST_ORDER_H

#include "base/container/intmap.h"
#include "history/history.h"

struct list_orders {
    VEC(u32_vec) all;        // values in order
    struct intmap number_of; // key -> index into 'all'
    VEC(uint8_t) taken;      // by value: 1 = an element of its key's order
};

void list_orders_free(struct list_orders *o);

/* Whether a list of a key is a prefix of its order.  With 'extend', a longer
 * list extends the order first, if it begins with it and the other elements are
 * new. */
bool list_orders_explain(struct list_orders *o, key_id k, const value_id *items,
                         size_t n, bool extend);

/* Append the order of a key to 'out'. */
void list_orders_copy(const struct list_orders *o, key_id k, u32_vec *out);

#endif
