/* model_cycle.h -- the forbidden cycle of a small history that is easiest to
 * explain.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_MODEL_CYCLE_H
#define EXPLAIN_MODEL_CYCLE_H

#include "explain/model.h"

/* Find the forbidden cycle of dependencies that is easiest to explain: short,
 * by few overwritten reads.  'assumed' is an answer that is taken too, with
 * what it implies, or ID_NONE.  Return its cost, or 0 where there is none; only
 * cycles cheaper than 'below' are of interest.  Add to *looks how many
 * dependencies were looked at, which is what it costs. */
uint32_t model_cycle(const struct model *m, answer_id assumed, uint32_t below,
                     dep_vec *out, size_t *looks);

#endif
