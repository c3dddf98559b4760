/* part.h -- some transactions of a stream as a history in memory.
 *
 * For two purposes, which must not be confused:
 *
 *   from a state  the transactions that come next, run from what the keys hold
 *                 now.  Engines propose an order of them, nothing more: it is
 *                 placed like any other (running_order.h).
 *   as they are   some transactions, with those of their reads whose writers
 *                 are all among them.  A level that holds of the whole history
 *                 holds of such a part: restrict the choice of writers and the
 *                 order of commits to it, and every demand that is left was
 *                 one of the whole.  So a violation of the part is one of the
 *                 whole history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_PART_H
#define STREAM_ORDER_PART_H

#include "stream/order/running_order.h"

/* Build the history of n transactions that come after the order so far.
 * h->arrival[i] is the i-th of them. */
void part_from_state(const struct running_order *o,
                     struct stream_txn *const *txns, size_t n, bool times,
                     struct history *h);

/* Build the history of n transactions, in the order of their numbers.
 * 'is_cut': others may be missing.  Reads of transactions whose reads_dropped
 * is set are left out; so are, with 'closed', reads of values that none of the
 * n has written and that are not initial. */
struct part_options {
    bool times, is_cut, closed;
};
void part_as_it_is(struct stream_names *names, struct stream_txn *const *txns,
                   size_t n, const struct part_options *options,
                   struct history *h);

/* A set of pairs of a key and a value. */
struct pair_set {
    struct stream_names *names;
    VEC(struct key_value {
        uint32_t key;
        uint8_t tag;
        uint64_t value;
    })
    all;
    uint32_t *slots; // index + 1; a power of two of them
    size_t slots_n;
};
void pair_set_add(struct pair_set *s, const struct stream_op *op);
bool pair_set_has(const struct pair_set *s, const struct stream_op *op);
void pair_set_free(struct pair_set *s);

#endif
