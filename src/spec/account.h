/* account.h -- the history of a play, from the notes of its sessions.
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
#ifndef SPEC_ACCOUNT_H
#define SPEC_ACCOUNT_H

#include "spec/notes.h"
#include "spec/script.h"

#define ACCOUNT_MARK "setup"
#define ACCOUNT_MARK_VALUE "done"

/* The rows of all tables; those of tables with a flaw are left out. */
struct state {
    VEC(struct result_rows) tables;
    double began, ended; // when it was read
};

void account_free_state(struct state *s);

struct account_session {
    const char *name;
    const struct notes *notes;
};

struct account {
    const struct script *script;
    const struct state *initial, *final;
    VEC(struct account_session) sessions;
    char refusal[240]; // out: why there is no history; "" if there is one
};

/* Write the history to path.  There is a refusal instead if no known statement
 * explains the change of a row, or if no row was read or written. */
bool account_write(struct account *a, const char *path, struct err *err);

#endif
