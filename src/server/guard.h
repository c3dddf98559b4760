/* guard.h -- a process that cleans up behind this program, however it ends.
 *
 * The guard is a shell that makes the temporary directory of a run and listens
 * to a pipe.  It is notified of each program before that begins and after it
 * has ended.  When the pipe closes, which the system does for the dead too, it
 * ends what still runs, with all that it has started, and removes the
 * directory.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SERVER_GUARD_H
#define SERVER_GUARD_H

#include "base/arena.h"
#include "base/err.h"

#include <sys/types.h>

struct guard {
    pid_t pid; // 0: none
    int pipe;  // what it listens to
};

/* Start the guard, and let it make a directory in TMPDIR that no other user can
 * look into.  *root is its path. */
bool guard_start(struct guard *g, struct arena *arena, const char **root,
                 struct err *err);

/* Tell it that a program, which leads a group of processes, is about to begin;
 * and that it has ended. */
void guard_add(const struct guard *g, pid_t pid);
void guard_remove(const struct guard *g, pid_t pid);

/* Let it clean up, and wait for that. */
void guard_end(struct guard *g);

#endif
