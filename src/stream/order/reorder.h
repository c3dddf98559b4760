/* reorder.h -- move transactions of a serial order so that another one fits.
 *
 * A transaction t reads a version of x that others have overwritten.  Either t
 * came before them, or they came before the writer that t reads from: two
 * writers that did not read are in the wrong order, and nothing showed it so
 * far.  Which one is decided by the smaller distance in time; the other is
 * tried next.
 *
 * With the order of the versions of every key fixed, the dependencies of a
 * stretch are a graph.  The new order is the topological one that is closest to
 * the old one, so other keys keep their versions, and a second inversion is not
 * made.  (An engine's order is one of many, and makes new inversions.)
 *
 * Everything since is placed again behind it, which checks the order as a
 * whole: no verdict depends on what this file concludes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_REORDER_H
#define STREAM_ORDER_REORDER_H

#include "stream/order/pass.h"

enum reordered {
    REORDERED_NOTHING, // the order is as it was
    REORDERED_OTHERS,  // a read of t that was not served is served now
    REORDERED_ALL,     // t was placed
};

/* Move transactions so that t, whose needs are placed, fits.
 *
 *   require  p->level is serial */
enum reordered reorder(struct stream_pass *p, struct stream_txn *t);

#endif
