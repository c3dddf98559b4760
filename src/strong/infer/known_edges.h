/* known_edges.h -- the graph of what is known before anything is inferred.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_INFER_KNOWN_EDGES_H
#define STRONG_INFER_KNOWN_EDGES_H

#include "strong/problem.h"

/* Make p->g: sessions, reads with one candidate, reads from INIT, orders of
 * lists, and time where the level is strict. */
void known_edges_build(struct problem *p);

#endif
