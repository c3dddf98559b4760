/* estimated_order.h -- an order that is close to an estimate of when each
 * transaction ran.
 *
 * Where a value has dozens of writers, hardly a read can be decided by what is
 * certain, and then nothing else can be inferred either.  This heuristic
 * assumes that the estimate (infer/estimated_times.h) is right within a margin.
 * Few candidate writers remain for each read (infer/near_candidates.h), and the
 * engine searches for an order with these.  An order found this way is an order
 * of the history.  A failure proves nothing.
 *
 * Where only a few transactions violate a level, the others have an order.  The
 * partial search repeatedly drops the reads of the transactions in the last
 * conflict.  The order that it finds may satisfy weaker levels, which the
 * caller has to check.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ESTIMATED_ORDER_H
#define STRONG_ESTIMATED_ORDER_H

#include "base/limits/budget.h"
#include "strong/strong.h"

struct estimated_order {
    const struct history *h;
    const struct strong_options *options;
    struct history assumed; // without the reads of 'left_out'; all but op_key
                            // is borrowed
    uint32_t *time;         // by transaction; NULL where none is assumed
    uint32_t margin;
    u32_vec left_out;
    u32_vec conflict; // transactions with a part in the last conflict
};

/* Whether the values of h have so many writers that an estimate helps, and so
 * few within the margin that the search can succeed.
 *
 *   time   O(1) */
bool estimated_order_applies(const struct history *h,
                             const struct strong_options *options);

/* Estimate the times of h, which must live as long as o.
 *
 *   require  estimated_order_applies() */
void estimated_order_init(struct estimated_order *o, const struct history *h,
                          const struct strong_options *options);

/* Search without time estimates. */
void estimated_order_init_without_times(struct estimated_order *o,
                                        const struct history *h,
                                        const struct strong_options *options);
void estimated_order_free(struct estimated_order *o);

/* Look for an order at level l.  If there is one, *out is its certificate;
 * otherwise *out is empty, and 'conflict' is set.
 *
 *   require  l is pc, si or ser; no transaction is left out
 *   time     near linear; it gives up after some steps for each operation */
bool estimated_order_try(struct estimated_order *o, enum level l,
                         struct budget *budget, struct certificate *out);

/* Look for a serial order of nearly all transactions: repeatedly drop the reads
 * of the transactions in the last conflict.  If there is such an order, append
 * all transactions that count to 'order'.
 *
 *   require  estimated_order_try() has failed at ser; none is optional */
bool estimated_order_try_partial(struct estimated_order *o,
                                 struct budget *budget, u32_vec *order);

#endif
