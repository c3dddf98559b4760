/* claimed_order.h -- the order that the timestamps of a server claim.
 *
 * A database with timestamps says when each transaction took its snapshot and
 * when it committed.  The order of these is a candidate for a certificate: if
 * running the history in it serves every read, the level holds, and no search
 * is needed.  If not, the claim contradicts what was observed, which is worth
 * saying whatever the verdict is.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_CLAIMED_ORDER_H
#define CHECK_CLAIMED_ORDER_H

#include "evidence/certificate.h"

enum claim {
    CLAIM_NONE, // there is no order to try
    CLAIM_HOLDS,
    CLAIM_CONTRADICTED,
    CLAIM_OPEN, // equal timestamps: another order of these may hold
};

/* Run h, which has no inconsistent reads, in the order of its timestamps at a
 * level.  If it holds, *out is a certificate that was verified.  Otherwise
 * 'why' says what is contradicted, missing or equal.
 *
 *   time   O(n log n) */
enum claim claimed_order_try(const struct history *h, enum level level,
                             struct certificate *out, struct buf *why);

#endif
