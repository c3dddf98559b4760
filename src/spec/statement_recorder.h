/* statement_recorder.h -- run a statement that is understood, and note what it
 * read and wrote.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_STATEMENT_RECORDER_H
#define SPEC_STATEMENT_RECORDER_H

#include "spec/notes.h"
#include "spec/sql/statement.h"

struct statement_recorder {
    struct connection *connection;
    const struct flavour *flavour;
    struct notes notes;
    char refusal[200]; // why it is not known what was done; "" if it is
    bool failed_alone; // the last statement failed, changed nothing and is
                       // noted: its transaction may continue
};

/* Run a statement about rows in the open transaction. */
enum outcome statement_recorder_run(struct statement_recorder *p,
                                    const struct spec_statement *s);

/* All rows of a table, in the order of their keys: the key, and then the
 * other columns. */
enum outcome statement_recorder_table(struct statement_recorder *p,
                                      const struct spec_table *t,
                                      struct result_rows *out);

#endif
