/* replay.h -- does a program really do what was predicted?
 *
 * The application runs again with the same seed, on the built-in store: its
 * transactions do what they did, and reads are directed to the predicted
 * versions as long as the level allows it.  What comes out is an execution of
 * the program itself, and it is checked like any other.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "predict/execution/execution.h"
#include "replay/rerun.h"

enum replay_outcome {
    REPLAY_NONE,         // 0: nothing was replayed
    REPLAY_VALIDATED,    // the level holds, serializability does not
    REPLAY_SERIALIZABLE, // some serial order explains it after all
    REPLAY_REFUSED,      // a transaction was not allowed to commit
    REPLAY_ROLLED_BACK,  // a transaction decided to roll back
    REPLAY_UNLIKE,       // this is not the program that was observed
    // on a database:
    REPLAY_NO_SCHEDULE, // no order of statements leads to these reads
    REPLAY_STUCK,       // sessions waited for each other without an end
};

struct replay {
    enum replay_outcome outcome;
    bool is_diverged;    // a transaction did not go on as predicted:
    txn_id diverged;     // the first of them, and
    char how[RERUN_HOW]; // "read y instead of writing x"
    bool breaks_level;   // on a database: the level does not hold
    txn_id where;        // of the history: who was refused, rolled back, unlike
    size_t waits;        // on a database: steps that had to wait for a lock
    char said[256];      // what the database said when it refused
    char differs[256];   // the first read that found another version
    struct history history; // what happened; unless a session failed
};

bool replay_run(const struct execution *x, const struct replay_program *program,
                enum level level, struct replay *out, struct err *err);

/* Note that a transaction went on in another way than predicted. */
void replay_note_divergence(struct replay *out, const struct rerun_txn *r);

/* Check the history of 'out' and set its outcome. */
bool replay_judge(struct replay *out, enum level level, struct err *err);

void replay_free(struct replay *r);

/* "validated", "serializable", ... */
const char *replay_outcome_name(enum replay_outcome outcome);

#endif
