/* known.h -- the graph of what is known before anything is inferred.
 *
 * SPDX-License-Identifier: MIT */
#ifndef STRONG_KNOWN_H
#define STRONG_KNOWN_H

#include "strong/problem.h"

/* Make p->g: sessions, reads with one candidate, reads from INIT, orders of
 * lists, and time where the level is strict. */
void known_build(struct problem *p);

#endif
