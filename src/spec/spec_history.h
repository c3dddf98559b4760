/* spec_history.h -- the history of an interleaving, from the notes of its
 * sessions.
 *
 *     setup    one transaction that writes the initial state: the tables as
 *              they were read back before the sessions began
 *     session  its transactions
 *     final    one transaction that reads the final state of the tables
 *
 * The setup also writes a mark, which every other transaction reads first:
 * this says that they begin after the setup.  The history has only registers
 * that a session read or wrote.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SPEC_HISTORY_H
#define SPEC_SPEC_HISTORY_H

#include "spec/notes.h"
#include "spec/script.h"

#define SPEC_HISTORY_MARK "setup"
#define SPEC_HISTORY_MARK_VALUE "done"

/* The rows of all tables; those of tables with a flaw are left out. */
struct state {
    VEC(struct result_rows) tables;
    double began, ended; // when it was read
};

void spec_history_free_state(struct state *s);

struct spec_history_session {
    const char *name;
    const struct notes *notes;
};

struct spec_history {
    const struct script *script;
    const struct state *initial, *final;
    VEC(struct spec_history_session) sessions;
    char refusal[240]; // out: why there is no history; "" if there is one
};

/* Write the history to path.  There is a refusal instead if no known statement
 * explains the change of a row, or if no row was read or written. */
bool spec_history_write(struct spec_history *a, const char *path,
                        struct err *err);

#endif
