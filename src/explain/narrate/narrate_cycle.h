/* narrate_cycle.h -- a forbidden cycle, edge by edge, and the contradiction.
 *
 * SPDX-License-Identifier: MIT */
#ifndef EXPLAIN_NARRATE_NARRATE_CYCLE_H
#define EXPLAIN_NARRATE_NARRATE_CYCLE_H

#include "explain/narrate/narrate_argument.h"

/* Add a sentence for each edge of the cycle, and one that concludes. */
void narrate_cycle(struct narrate_argument *s, const struct dep *d, size_t n);

/* Append ": read atomic is violated, and with it serializability". */
void narrate_violated(struct narration *t);

#endif
