/* near_candidates.h -- leaves out the writers that are far from a read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_NEAR_CANDIDATES_H
#define STRONG_INFER_NEAR_CANDIDATES_H

#include "depend/dependencies.h"

/* Leave out the candidates that no read can have seen if each transaction ran
 * within 'margin' of its time: those that ran later, and those that another
 * writer of the key overwrote before.  A read that would lose all of them keeps
 * them; one that has one left is decided.  time[] is by transaction of the
 * history, and below n_txns.
 *
 *   time   O(versions + versions within the margin of each read) */
void near_candidates_keep(struct dependencies *p, const uint32_t *time,
                          uint32_t margin);

#endif
