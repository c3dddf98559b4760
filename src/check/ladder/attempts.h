/* attempts.h -- what the rows of strategies.c do.
 *
 * Each runs one engine and fills in the certificates that it gives.  An order
 * of a stronger level is converted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CHECK_LADDER_ATTEMPTS_H
#define CHECK_LADDER_ATTEMPTS_H

#include "check/ladder/ladder_run.h"

/* Orders that are tried as they are, or nearly. */
void attempt_input_order(struct ladder_run *run, struct budget *budget);
void attempt_timed_order(struct ladder_run *run, struct budget *budget);
void attempt_input_order_psi(struct ladder_run *run, struct budget *budget);
void attempt_replay(struct ladder_run *run, struct budget *budget);
void attempt_estimated_order(struct ladder_run *run, struct budget *budget);
void attempt_partial_order(struct ladder_run *run, struct budget *budget);

/* The level itself. */
void attempt_certain(struct ladder_run *run, struct budget *budget);
void attempt_build(struct ladder_run *run, struct budget *budget);
void attempt_own_first(struct ladder_run *run, struct budget *budget);
void attempt_own_second(struct ladder_run *run, struct budget *budget);
void attempt_infer(struct ladder_run *run, struct budget *budget);
void attempt_search(struct ladder_run *run, struct budget *budget);
void attempt_proof(struct ladder_run *run, struct budget *budget);
void attempt_weak(struct ladder_run *run, struct budget *budget);
void attempt_weak_again(struct ladder_run *run, struct budget *budget);

/* A stronger level, whose order serves. */
void attempt_serial(struct ladder_run *run, struct budget *budget);
void attempt_serial_first(struct ladder_run *run, struct budget *budget);
void attempt_serial_second(struct ladder_run *run, struct budget *budget);
void attempt_serial_rest(struct ladder_run *run, struct budget *budget);
void attempt_serial_partly(struct ladder_run *run, struct budget *budget);
void attempt_strict_serial(struct ladder_run *run, struct budget *budget);
void attempt_strict_snapshot(struct ladder_run *run, struct budget *budget);
void attempt_snapshot(struct ladder_run *run, struct budget *budget);
void attempt_snapshot_first(struct ladder_run *run, struct budget *budget);

#endif
