/* read_committed_edges.h -- the commit-order edges of read committed and read
 * atomic.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_READ_COMMITTED_EDGES_H
#define WEAK_READ_COMMITTED_EDGES_H

#include "depend/writers.h"
#include "level/level.h"
#include "weak/edges.h"

/* Infer the edges that 'level' (rc or ra) requires because of the reads of the
 * transactions in 'readers' (NULL: of all that count).  Where nothing is
 * stored, stop at the first edge that goes against the sequence.
 *
 *   ensure  together with session order, the assignment and each other, the
 *           edges imply every edge that the level requires
 *   time    O(n^1.5) for n operations, times log n where a transaction is
 *           much larger than the one that reads from it
 */
void read_committed_edges_infer(const struct writer_assignment *r,
                                enum level level, const u32_vec *readers,
                                unsigned threads, struct edges *out);

#endif
