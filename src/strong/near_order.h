/* near_order.h -- an order that is close to an estimate of when each
 * transaction ran.
 *
 * Where a value has dozens of writers, hardly a read can be decided by what is
 * certain, and then nothing else can be inferred either.  So this assumes that
 * the estimate (infer/estimated_times.h) is right but for some margin.  Then
 * few writers are left for a read (infer/near_candidates.h), and the engine
 * finds the rest.  An order that is found this way is an order of the history.
 * That there is none says nothing.
 *
 * Where a level is violated by a few transactions only, there is an order of
 * all others.  The transactions that had a part in a conflict are excused:
 * their reads are left out.  The order that is found then may satisfy weaker
 * levels, which the caller has to check.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_NEAR_ORDER_H
#define STRONG_NEAR_ORDER_H

#include "base/limits/budget.h"
#include "strong/strong.h"

struct near_order {
    const struct history *h;
    const struct strong_options *options;
    struct history assumed; // without the reads of those that are excused; all
                            // but op_key is borrowed
    uint32_t *time;         // by transaction; NULL where none is assumed
    uint32_t margin;
    u32_vec excused;
    u32_vec blamed; // transactions with a part in the last conflict
};

/* Whether the values of h have so many writers that it is worth while, and so
 * few within the margin that the rest is worth searching.
 *
 *   time   O(1) */
bool near_order_suits(const struct history *h,
                      const struct strong_options *options);

/* Estimate the times of h, which must live as long as o.
 *
 *   require  near_order_suits() */
void near_order_init(struct near_order *o, const struct history *h,
                     const struct strong_options *options);

/* The same without times: an order may be far from any estimate. */
void near_order_init_far(struct near_order *o, const struct history *h,
                         const struct strong_options *options);
void near_order_free(struct near_order *o);

/* Look for an order at level l.  If there is one, *out is its certificate;
 * otherwise *out is empty, and 'blamed' is set.
 *
 *   require  l is pc, si or ser; no transaction is excused
 *   time     near linear; it gives up after some steps for each operation */
bool near_order_try(struct near_order *o, enum level l, struct budget *budget,
                    struct certificate *out);

/* Look for a serial order of nearly all transactions: excuse those that are
 * blamed, again and again.  Appends all transactions that count to 'order', if
 * there is one.
 *
 *   require  near_order_try() has failed at ser; none is optional */
bool near_order_excuse(struct near_order *o, struct budget *budget,
                       u32_vec *order);

#endif
