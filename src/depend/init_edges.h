/* init_edges.h -- the rw edges from transactions that read initial values.
 *
 * Who read INIT's version of a key precedes all its writers: the first one of
 * each session.  With many sessions these edges are more than all others, and
 * nearly all of them follow from others: the readers are early and the writers
 * are late, and paths lead from the ones to the others anyway.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DEPEND_INIT_EDGES_H
#define DEPEND_INIT_EDGES_H

#include "depend/dependencies.h"

/* Add the edges of the read r, which read from INIT. */
void init_edges_add(struct dependencies *d, read_id r);

/* Add those of all reads from INIT, but for edges that follow from others.
 *
 *   require  the graph has no edges but those of the other reads */
void init_edges_add_missing(struct dependencies *d);

/* At most how many edges all reads from INIT have. */
uint64_t init_edges_bound(const struct dependencies *d);

/* Assert that the graph has a path for each of them, if it is small. */
void init_edges_check(const struct dependencies *d);

#endif
