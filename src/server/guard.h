/* guard.h -- a process that cleans up after this program, however it ends.
 *
 * The guard is a shell that makes the temporary directory of a run and reads
 * from a pipe.  Its parent reports each program before the program begins and
 * after it has ended.  When this program ends or dies, the kernel closes the
 * pipe. Then the guard kills the programs that still run, with their children,
 * and removes the directory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SERVER_GUARD_H
#define SERVER_GUARD_H

#include "base/err.h"
#include "base/memory/arena.h"

#include <sys/types.h>

struct guard {
    pid_t pid; // 0: there is no guard
    int pipe;  // this program's end
};

/* Start the guard, which makes a directory in TMPDIR that no other user can
 * read.  *root is its path. */
bool guard_start(struct guard *g, struct arena *arena, const char **root,
                 struct err *err);

/* Report to the guard that a program, the leader of a process group, is about
 * to begin; and that it has ended. */
void guard_add(const struct guard *g, pid_t pid);
void guard_remove(const struct guard *g, pid_t pid);

/* Make the guard clean up, and wait for it. */
void guard_end(struct guard *g);

#endif
