/* open_reads.h -- candidates that cannot be, because of what is certain.
 *
 * SPDX-License-Identifier: MIT */
#ifndef WEAK_CHOICE_OPEN_READS_H
#define WEAK_CHOICE_OPEN_READS_H

#include "level/level.h"
#include "weak/topological_sort.h"

/* A read with several candidates; those of the value's candidates that are
 * left are marked in alive[first .. first + n). */
struct open_read {
    op_id op;
    txn_id txn;
    uint32_t n, left; // how many candidates, and how many are left
    size_t first;     // there may be reads times writers of them in all
};

struct open_reads {
    VEC(struct open_read) all; // by op
    VEC(uint8_t) alive;
};

/* Collect the reads of h with several candidates; only a reader itself is
 * ruled out. */
void open_reads_init(struct open_reads *o, const struct history *h);
void open_reads_free(struct open_reads *o);

/* Rule out candidates at 'level': those that happened after the reader, or that
 * were overwritten by something the reader has the level's premise with; where
 * a read has one candidate left that is certain too, and so on.  A read keeps
 * all its candidates rather than none.
 *
 * This is a guide for guesses, not a proof, and gives up early where it would
 * take long. */
void open_reads_prune(const struct history *h, enum level level,
                      const u32_vec *roots, struct open_reads *o);

#endif
