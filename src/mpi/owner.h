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
};

void owner_count_stale(struct owner *o);
void owner_free(struct owner *o);

#endif
