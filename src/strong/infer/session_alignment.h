/* session_alignment.h -- when each transaction ran, followed from the
 * beginning.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_SESSION_ALIGNMENT_H
#define STRONG_INFER_SESSION_ALIGNMENT_H

#include "history/history.h"

/* Estimate when each transaction of order[0 .. n) ran.  Times are places among
 * them; even[t] is the one that t would have at an even pace of its session,
 * and 'order' is by that.  now[t] becomes the estimate, which rises within a
 * session.
 *
 *   time   O(operations * writers of a value within some hundred transactions)
 */
void session_alignment_find(const struct history *h, const txn_id *order,
                            uint32_t n, const double *even, double *now);

#endif
