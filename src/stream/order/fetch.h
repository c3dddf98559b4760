/* fetch.h -- place a transaction after those of the queue that it needs.
 *
 * Where clocks differ, a transaction comes before one that it reads from, or
 * after one that overwrote what it read.  The first kind is mended by placing
 * the writer first, with what that one needs in turn; the second kind by moving
 * transactions that are placed (reorder.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_FETCH_H
#define STREAM_ORDER_FETCH_H

#include "stream/order/pass.h"

/* Place the first transaction of the queue, which does not fit as it is.
 * False: it was not placed; others of the queue may have been. */
bool fetch(struct stream_pass *p);

#endif
