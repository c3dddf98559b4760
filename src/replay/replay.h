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

#include "app/app.h"
#include "predict/predict.h"

/* The program that was observed; session s of the run is called s + 1 in the
 * history, and all its transactions are there, also those that were rolled
 * back. */
struct replay_program {
    const struct app *app;
    uint64_t seed, sessions, units;
    double aborts; // share of transactions rolled back at their end
};

enum replay_outcome {
    REPLAY_VALIDATED,    // the level holds, serializability does not
    REPLAY_SERIALIZABLE, // some serial order explains it after all
    REPLAY_REFUSED,      // a transaction found no place in the commit order
    REPLAY_ROLLED_BACK,  // a transaction decided to roll back
    REPLAY_UNLIKE,       // this is not the program that was observed
};

struct replay {
    enum replay_outcome outcome;
    bool is_diverged; // a boundary transaction did not go on as predicted
    txn_id where;     // of the history: who was refused, rolled back, unlike
    struct history history; // what happened; unless the program is unlike
};

bool replay_run(const struct execution *x, const struct replay_program *program,
                enum level level, struct replay *out, struct err *err);
void replay_free(struct replay *r);

/* "validated", "serializable", ... */
const char *replay_outcome_name(enum replay_outcome outcome);

#endif
