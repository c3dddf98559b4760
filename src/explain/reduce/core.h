/* core.h -- the transactions that a certificate is about.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_REDUCE_CORE_H
#define EXPLAIN_REDUCE_CORE_H

#include "evidence/certificate.h"

/* The transaction of each operation of h; the caller frees it. */
txn_id *core_owners(const struct history *h);

/* Set 'core' to the transactions, in ascending order, that the evidence of a
 * violation (a cycle or a proof) rests on.  'owners' are core_owners(h). */
void core_of_certificate(const struct history *h, const txn_id *owners,
                         const struct certificate *c, u32_vec *core);
void core_of_cycle(const struct history *h, const txn_id *owners,
                   const struct cycle *cycle, u32_vec *core);

#endif
