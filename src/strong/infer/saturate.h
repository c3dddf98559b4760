/* saturate.h -- infer edges and prune candidates until that no longer pays.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_SATURATE_H
#define STRONG_INFER_SATURATE_H

#include "strong/infer/inference.h"

/* Saturate as far as it pays.  Returns false with a conflict, or without one
 * where the budget is spent. */
bool saturate_run(struct inference *f);

#endif
