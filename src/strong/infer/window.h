/* window.h -- infer edges key by key, with clocks.
 *
 * For histories whose clocks stay in the cache; sweep.h is for the others.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_WINDOW_H
#define STRONG_INFER_WINDOW_H

#include "strong/infer/inference.h"

struct window {
    struct inference *f; // borrowed
    version_id *sorted;  // the versions of each key by rank of their commit
    uint8_t *busy;       // by key: the last round inferred something there
};

/* require  f has clocks */
void window_init(struct window *w, struct inference *f);
void window_free(struct window *w);

/* Infer what the rules give.  Returns false with a conflict.
 *
 *   require  order and clocks are up to date
 *   ensure   what an edge rests on is a path over the edges before the round */
bool window_round(struct window *w);

#endif
