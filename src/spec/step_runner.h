/* step_runner.h -- run statements on a connection, and keep track of the
 * transaction that they begin and end.
 *
 * The statements of a step that are outside a transaction form one implicit
 * transaction, as PostgreSQL's tester sends them.  The first statement that
 * fails ends the step.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_STEP_RUNNER_H
#define SPEC_STEP_RUNNER_H

#include "collect/findings.h"
#include "spec/script.h"
#include "spec/statement_recorder.h"

/* All-zero but for the connection and the flavour of the recorder is ready. */
struct step_runner {
    struct statement_recorder recorder; // its connection, and what it noted
    bool stops;           // at an error, which ends the transaction anywhere
    bool is_implicit;     // the open transaction ends with the step
    bool is_gone;         // rolled back by the database, not yet by the script
    bool is_lost;         // the connection
    const char *prepared; // the name of the open transaction, if it waits for
                          // its end; or NULL
    size_t failed;        // statements that the database refused
    char failure[300];    // the last of them, with the database's message
    struct run_findings findings; // among them
    size_t done;                  // parts of the last SQL that did not fail
};

/* Run a step. */
void step_runner_block(struct step_runner *r, struct script_block *block);

/* Run a statement; return whether its step continues.  An implicit transaction
 * is left open. */
bool step_runner_statement(struct step_runner *r, struct spec_statement *s,
                           bool is_one_of_many);

/* Commit the open transaction; return whether it is committed. */
bool step_runner_commit(struct step_runner *r);

/* Run SQL as it is, up to the first statement that fails.  It is not noted. */
void step_runner_text(struct step_runner *r, const char *sql);

/* Roll back what is still open. */
void step_runner_rest(struct step_runner *r);

void step_runner_free(struct step_runner *r);

#endif
