/* writer_choice.h -- weak levels of histories with duplicate values.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOICE_WRITER_CHOICE_H
#define WEAK_CHOICE_WRITER_CHOICE_H

#include "weak/weak.h"

/* Decide c->level (rc, ra or cc) for a history some of whose reads have
 * several candidates, and fill in the verdict and the evidence: an order and
 * the choices, a cycle that uses no choice, or a proof that every choice leads
 * to a cycle.  The choice of writers determines which of the transactions that
 * may count do. */
void writer_choice_decide(const struct history *h, const struct weak_options *o,
                          struct certificate *c, struct weak_stats *stats);

#endif
