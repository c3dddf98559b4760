/* open_reads.h -- the reads with several candidates, and which candidates are
 * left of each.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOICE_OPEN_READS_H
#define WEAK_CHOICE_OPEN_READS_H

#include "depend/candidates.h"
#include "level/level.h"
#include "weak/writer_assignment.h"

/* A read of a value with several writers. */
struct open_read {
    txn_id txn;
    struct candidates left; // transactions; left.read is the operation
};

struct open_reads {
    VEC(struct open_read) all; // by op
    struct candidate_pool pool;
};

/* Collect the reads of h with several candidates.  Only a read's own
 * transaction is ruled out. */
void open_reads_init(struct open_reads *o, const struct history *h);
void open_reads_free(struct open_reads *o);

/* The candidates that are left of r: TXN_INIT first where it is one of them,
 * then in ascending order. */
static inline struct txn_range
open_reads_left(const struct open_reads *o, const struct open_read *r)
{
    assert(r->left.first + r->left.n <= o->pool.items.n);
    return (struct txn_range){o->pool.items.at + r->left.first, r->left.n};
}

/* Rule out candidates at 'level' that cannot be the writer, because of what is
 * certain.  A read that has one candidate left is certain as well, and may rule
 * out others.  A read keeps at least one candidate.
 *
 * This guides guesses and proves nothing.  It gives up early where it would
 * take long. */
void open_reads_prune(const struct history *h, enum level level,
                      struct open_reads *o);

#endif
