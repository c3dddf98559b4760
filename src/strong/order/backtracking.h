/* backtracking.h -- order search by running the history and backtracking.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_ORDER_BACKTRACKING_H
#define STRONG_ORDER_BACKTRACKING_H

#include "strong/infer/inference.h"

/* Attempts, each with its own preferences, which its number determines. */
struct walks {
    unsigned first, n;
    uint64_t steps; // of each walk
};

/* Try to find a topological order of p->g that breaks nothing, and write it to
 * out[0 .. g.n).  False says nothing: an order may exist.  Marks in 'counting'
 * the open transactions that count in it (see order_check.h); the others come
 * last.
 *
 *   time   that many steps at most, of O(sessions) each */
bool backtracking_search(const struct inference *f, struct walks walks,
                         uint32_t *out, uint8_t *counting);

#endif
