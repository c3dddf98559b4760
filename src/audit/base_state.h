/* base_state.h -- the database as it was before the recording, again and again.
 *
 * Without a command that restores it, the state is kept as a copy of the
 * database (CREATE DATABASE ... TEMPLATE), and each try has another copy: the
 * database of the application is left as its test suite leaves it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef AUDIT_BASE_STATE_H
#define AUDIT_BASE_STATE_H

#include "base/buf.h"
#include "base/err.h"

struct base_state {
    const char *target; // as given; borrowed
    const char *reset;  // a command of the shell, or NULL; borrowed
    struct buf database, kept, trial; // names
    struct buf admin;                 // a target to make databases at
    struct buf target_of_trial;
    bool is_kept;
};

/* Keep the state, or run the command. */
bool base_state_keep(struct base_state *b, const char *target,
                     const char *reset, struct err *err);

/* Restore the state; *target is where.  base_state_drop removes it. */
bool base_state_restore(struct base_state *b, const char **target,
                        struct err *err);

/* Remove all copies. */
void base_state_free(struct base_state *b);

#endif
