/* snapshots.h -- si and pc along the candidate order, where reads are stale.
 *
 * With the order of commits fixed, a snapshot is a prefix of it.  That of a
 * transaction has the commits before it in its session, the writers that it
 * read from, and at si the versions before those that it writes ('low').  It
 * has no commit that overwrote what was read ('high').  It exists if and only
 * if low is before high, and snapshots do not depend on each other.  A
 * transaction without a stale read has one: all that is before it.
 *
 * So only transactions with a stale read ask: their ids go to all ranks, the
 * owners of their keys answer with bounds, and their homes compare.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_SNAPSHOTS_H
#define MPI_SNAPSHOTS_H

#include "mpi/owner.h"

enum snapshots_end {
    SNAPSHOTS_EXIST,
    SNAPSHOTS_OPEN,   // not along this order; nothing follows
    SNAPSHOTS_UNKNOWN // a rank has no memory, 'why' says which
};

/* 'writes': si, and not pc. */
enum snapshots_end snapshots_find(struct home *h, struct owner *o, bool writes,
                                  char why[EXCHANGE_TEXT]);

#endif
