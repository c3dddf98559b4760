/* known_edges.h -- the graph of what is known before anything is inferred.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DEPEND_KNOWN_EDGES_H
#define DEPEND_KNOWN_EDGES_H

#include "depend/dependencies.h"

/* Build d->g: sessions, reads with one candidate, reads from INIT, orders of
 * lists, and real time where the level is strict.  For most_init see
 * dependencies_init.
 *
 *   require  d has its versions and reads */
void known_edges_build(struct dependencies *d, uint64_t most_init);

#endif
