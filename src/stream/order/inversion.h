/* inversion.h -- two writers of a key in the wrong order, noticed late.
 *
 * Clocks that differ put two transactions that were close in time into the
 * wrong order.  If both wrote a key without reading it, nothing shows that
 * until a transaction reads the key, which may be long after: then the read is
 * of the version before the last one.  A window up to there would hold
 * everything in between.  Instead, only the stretch around the two writers is
 * ordered anew, with the version that was read as the last one of its key, and
 * every other key left as it was.  Everything since is taken back, and placed
 * again behind it: so the new order is checked as a whole.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STREAM_ORDER_INVERSION_H
#define STREAM_ORDER_INVERSION_H

#include "stream/order/pass.h"

/* Mend the order so that the first transaction of the queue fits, and place it.
 * False: it does not fit; the order may be another one than before.
 *
 *   require  p->level is serial */
bool inversion_mend(struct stream_pass *p);

#endif
