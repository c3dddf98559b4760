/* conflict.h -- what PostgreSQL does not let two concurrent transactions do.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_EXECUTE_CONFLICT_H
#define PROVE_EXECUTE_CONFLICT_H

#include "prove/execute/run/run.h"

/* Whether b fails at REPEATABLE READ because of what a, which committed before
 * it and which it does not see, has done: both write a row or equal unique
 * values; a writes a row that b locks or meets with ON CONFLICT; one deletes a
 * row to which the other makes a foreign key point; b makes one point to a row
 * of which a has changed unique values.  That a has locked a row which b writes
 * is no conflict: the lock is gone. */
bool conflict_between(const struct program *p, const struct run *a,
                      const struct run *b);

/* Whether both set the same column of a row, or both insert or delete it. */
bool conflict_same_column(const struct program *p, const struct run *a,
                          const struct run *b);

/* Whether x would wait for the locks of p, which has not committed. */
bool conflict_blocks(const struct program *program, const struct run *p,
                     const struct run *x);

#endif
