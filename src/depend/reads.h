/* reads.h -- the external reads of a history, and what each may have read.
 *
 * SPDX-License-Identifier: MIT */
#ifndef DEPEND_READS_H
#define DEPEND_READS_H

#include "depend/dependencies.h"

/* The writers that the external read op may have read from: one or more.  The
 * read's own transaction may be among several, and is not meant then.  'only'
 * is storage for one that stands alone. */
static inline struct txn_range
reads_writers(const struct history *h, op_id op, txn_id *only)
{
    const value_id v = h->op_value[op];
    assert(op_is_external_read(h, op));
    if (history_has_several(h, v))
        return history_candidates(h, v);
    *only = history_writer(h, v);
    return (struct txn_range){only, 1};
}

/* Fill in the reads of d and the candidates of those that are ambiguous.
 *
 *   require  d has its versions
 *   time     O(operations + values), and a sort of the ambiguous reads */
void reads_init(struct dependencies *d);
void reads_free(struct dependencies *d);

#endif
