/* gather.h -- all files of a directory as one history on rank 0.
 *
 * What the fast path cannot decide, the engines decide, in the process of rank
 * 0.  The files are joined in the order of their names, without the marks of
 * recordings; the result does not depend on the number of ranks.
 *
 * SPDX-License-Identifier: MIT */
#ifndef MPI_GATHER_H
#define MPI_GATHER_H

#include "base/buf.h"
#include "base/err.h"
#include "mpi/exchange.h"

#include <stdbool.h>

/* Join the files of a directory, of which each rank has those that it reads
 * (rank i every file n with n % ranks == i).  On rank 0, *path is then that of
 * a file without a name, which lives until *fd is closed.  False: err says why,
 * on all ranks. */
bool gather_files(struct exchange *x, const char *directory, struct buf *path,
                  int *fd, struct err *err);

#endif
