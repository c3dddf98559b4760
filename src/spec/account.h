/* account.h -- the history of a play, from the notes of its sessions.
 *
 *     setup    one transaction, which writes the initial state: the tables as
 *              they were read back before the sessions began
 *     session  its transactions
 *     final    one transaction, which reads the tables as they were left
 *
 * The setup also writes a mark, which every other transaction reads first:
 * each of them begins when the setup is done.  Only registers that a session
 * read or wrote are in the history.
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
    double began, ended; // the reading of it
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
    char refusal[240]; // out: why there is no history; "" where there is one
};

/* Write the history to path.  Where a row was changed by no known
 * statement, or where no row was read or written, there is a refusal
 * instead. */
bool account_write(struct account *a, const char *path, struct err *err);

#endif
