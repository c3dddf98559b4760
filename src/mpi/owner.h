/* owner.h -- the records of the keys that one rank owns.
 *
 * The records of a key are put into the candidate order.  A read is fresh if
 * its value is that of the last write before it.  If all external reads are
 * fresh, and places rise within each session, then the order is a serial run
 * of all committed transactions, so every level that needs no times holds.
 * Which transaction wrote the value does not matter: repeated values need no
 * choice of a writer.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_OWNER_H
#define MPI_OWNER_H

#include "mpi/home.h"

struct owner {
    struct atom initial;
    byte_vec *in; // records, by the rank that sent them
    size_t ranks;
    uint64_t records, keys, stale; // stale: reads that are not fresh
    struct record *at;             // by key, and then by place
    size_t *begin;                 // of each key
    u64_vec readers;               // ids of transactions with a stale read
};

/* Group the records, and find the reads that are not fresh. */
void owner_count_stale(struct owner *o);

/* What one key demands of the snapshot of a transaction: it has the commit at
 * 'low', and not the one at 'high'. */
struct bound {
    uint64_t id; // of the transaction
    struct place low, high;
    uint64_t has_high; // 0 or 1
};
typedef VEC(struct bound) bound_vec;

/* The bounds of the transactions 'asking', which are sorted ids.  With
 * 'writes', a snapshot has the version before each own write.  False: a read is
 * of no version before it. */
bool owner_bounds(const struct owner *o, const u64_vec *asking, bool writes,
                  bound_vec *out);
void owner_free(struct owner *o);

#endif
