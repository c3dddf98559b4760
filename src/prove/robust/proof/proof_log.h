/* proof_log.h -- the queries of a proof, for another solver to repeat.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PROVE_ROBUST_PROOF_PROOF_LOG_H
#define PROVE_ROBUST_PROOF_PROOF_LOG_H

#include "base/buf.h"
#include "base/container/vec.h"

/* Each as a script in SMT-LIB, whose answer is "unsat". */
struct proof_log {
    VEC(struct buf) queries;
};

/* Add assertions that cannot hold together, with a line that says what they
 * are. */
void proof_log_add(struct proof_log *log, const char *assertions,
                   const char *what);
/* Drop all but the first n. */
void proof_log_cut(struct proof_log *log, size_t n);
void proof_log_free(struct proof_log *log);

#endif
