/* context.h -- what one check of a level needs besides its dependencies.
 *
 * The dependencies (depend/dependencies.h) say what is to be decided and
 * nothing about how.  The context carries the how: options, the limit on work,
 * and counters.  One context serves one decision (decision.h) and is passed
 * along with the inference.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_CONTEXT_H
#define STRONG_CONTEXT_H

#include "strong/strong.h"

struct strong_context {
    const struct strong_options *options;
    struct budget *budget; // may be NULL: no limit
    struct strong_stats *stats;

    // The level is violated, but the candidates that were removed were not
    // recorded, and a proof needs them.  The check runs again and records them.
    bool needs_record;
};

#endif
