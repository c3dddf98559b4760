/* statement_recorder.h -- run a statement that is understood, and note what it
 * read and wrote.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_STATEMENT_RECORDER_H
#define SPEC_STATEMENT_RECORDER_H

#include "spec/notes.h"
#include "spec/sql/statement.h"

/* A savepoint, and how many notes its transaction had then. */
struct recorder_savepoint {
    const char *name;
    size_t notes;
};

struct statement_recorder {
    struct connection *connection;
    const struct flavour *flavour;
    struct notes notes;
    char refusal[200];   // why it is not known what was done; "" if it is
    struct buf notices;  // of triggers, not noted yet
    uint32_t statements; // run so far, to tell the notes of each apart
    VEC(struct recorder_savepoint) savepoints; // of the open transaction
    bool is_failed; // inside a savepoint, to which the script may go back
    struct row_statement *failed; // then: by this statement
    struct result_rows *answer; // takes what a statement that is to be answered
                                // returns (row_statement.h); or NULL
    bool failed_alone; // the last statement failed, changed nothing and is
                       // noted: its transaction may continue
};

/* Run a statement about rows in the open transaction. */
enum outcome statement_recorder_run(struct statement_recorder *p,
                                    struct spec_statement *s);

/* Say why it is not known what was done; the first reason is kept.  Returns
 * OUTCOME_FAILED. */
__attribute__((format(printf, 2, 3))) enum outcome
statement_recorder_refuse(struct statement_recorder *p, const char *format,
                          ...);

/* All rows of a table, in the order of their keys: the key, and then the
 * other columns. */
enum outcome statement_recorder_table(struct statement_recorder *p,
                                      const struct spec_table *t,
                                      struct result_rows *out);

#endif
