/* causal.h -- the commit-order edges of causal consistency.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CAUSAL_H
#define WEAK_CAUSAL_H

#include "weak/edges.h"
#include "weak/weak.h"

/* Infer the edges that causal consistency requires because of the reads of the
 * transactions in 'readers', which stand in the order of the sequence (NULL:
 * of all that count).  'sequence' respects session order and the assignment.
 * Where nothing is stored, stop at the first edge that goes against
 * out->sequence.  False where the budget is spent first.
 *
 *   ensure  together with session order, the assignment and each other, the
 *           edges imply every edge that the level requires
 *   time    O(n k) for n operations and k chains (causal_rows.h), where writes
 *           of a key are found near those that were found before; times log n
 *           otherwise
 *   memory  k words per transaction that is still to be read from
 */
bool causal_edges(const struct writer_assignment *r,
                  const struct topological_order *sequence,
                  const u32_vec *readers, const struct weak_options *o,
                  struct edges *out);

#endif
