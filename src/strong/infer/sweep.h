/* sweep.h -- infer edges in one pass over a topological order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_SWEEP_H
#define STRONG_INFER_SWEEP_H

#include "graph/horizon.h"
#include "strong/infer/inference.h"

struct sweep {
    struct inference *f; // borrowed
    struct horizon horizon;
    uint32_t now;    // the place of the point that is being passed
    uint32_t *place; // by version: its place among the placed versions
    read_id *passed; // by read of a version: the one that was passed before
    struct placed *placed; // versions by key, INIT's first, as they are passed
    uint32_t *key_end;     // by key: where its next version goes
};

void sweep_init(struct sweep *s, struct inference *f);
void sweep_free(struct sweep *s);

/* Infer what the rules give on the present order.  The clocks are not used, and
 * not updated.  Returns false with a conflict.
 *
 *   require  the order is sorted
 *   ensure   what an edge rests on is a path over older edges that go up the
 *            order
 *   time     O((points + edges + versions) * width of the horizon / 64) */
bool sweep_once(struct sweep *s);

#endif
