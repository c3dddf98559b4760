/* prune.h -- remove candidates that an ambiguous read cannot have read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_PRUNE_H
#define STRONG_INFER_PRUNE_H

#include "strong/infer/inference.h"

/* Remove candidates by the clocks until nothing changes.  Reads with one
 * candidate left are decided and become edges.  Returns false with a conflict
 * where a read has no candidate left.
 *
 *   require  the clocks are up to date */
bool prune_candidates(struct inference *f);

/* Remove only the writes of the reader itself, which needs no clocks. */
void prune_own_writes(struct dependencies *p);

#endif
