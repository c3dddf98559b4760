/* edge_reason.h -- the reason for an inferred edge of the commit order.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_EDGE_REASON_H
#define WEAK_EDGE_REASON_H

#include "weak/commit_order.h"

/* Fill in the reason of e, an EDGE_CO that 'level' infers because of the reads
 * of t3: the read, the premise, and at cc the path, which is appended to path.
 *
 *   require  the edge was inferred from g at this level
 *   time     rc, ra: of the transactions involved; cc: of what lies between
 *            e->from and t3 in the sequence */
void edge_reason_find(const struct ordered_assignment *g, enum level level,
                      txn_id t3, struct cycle_edge *e, u32_vec *path);

/* An operation of t that reads from w. */
op_id edge_reason_read(const struct writer_assignment *r, txn_id t, txn_id w);

/* Whether the reader of an edge shows it by a read with one candidate. */
bool edge_reason_is_certain(const struct writer_assignment *r, enum level level,
                            const struct edge *e);

#endif
