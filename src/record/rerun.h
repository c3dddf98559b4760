/* rerun.h -- a recorded statement, made ready to be run again.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_RERUN_H
#define RECORD_RERUN_H

#include "record/evaluation.h"
#include "record/session_setup.h"

/* Whether a run is an EXECUTE of a statement that SQL has prepared. */
bool rerun_is_execute(const struct recorded_run *r);

/* Prepare a statement with its parameters, in the session as it was, and fill
 * in e->enter, e->execute and e->names_table.  It is called between a savepoint
 * and the rollback to it; "deallocate all" has to follow. */
bool rerun_prepare(struct evaluation *e, const struct session_setup *setup,
                   const struct recorded_run *r);

/* The same for a cursor and what was fetched from it: one read.  The steps
 * 'fetched' are numbers in the transaction. */
void rerun_prepare_cursor(struct evaluation *e,
                          const struct session_setup *setup,
                          const struct recorded_act *act,
                          const struct recorded_step *declared,
                          const u32_vec *fetched);

#endif
