/* trial.h -- a prediction, tried on the database: its transactions send the
 * statements that were recorded, in the order of its schedule, through the
 * recording proxy, and the outcome is checked like any history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef AUDIT_TRIAL_H
#define AUDIT_TRIAL_H

#include "audit/base_state.h"
#include "audit/sent.h"
#include "predict/predict.h"

#include <signal.h>

enum trial_outcome {
    TRIAL_NOT_RUN,
    TRIAL_SHOWN,     // the outcome is not serializable
    TRIAL_NOT_SHOWN, // all statements ran, and the outcome is serializable
    TRIAL_DIVERGED,  // a statement failed or waited
};

extern const char *const trial_names[]; // "shown"

/* Statements from .. to - 1 of a transaction. */
struct trial_step {
    uint32_t txn; // of the prediction
    uint32_t from, to;
};

typedef VEC(struct trial_step) trial_vec;

/* The steps of a prediction.  A transaction that was one statement is put
 * between BEGIN and COMMIT. */
void trial_steps(const struct prediction *all, const struct predicted *p,
                 const struct moments *m, sent_vec *sent, struct arena *arena,
                 trial_vec *out);

/* Run them.  *why gets what happened, where that is to be said.  Fails only if
 * the state cannot be restored or the recording cannot be made. */
bool trial_run(struct base_state *base, const char *file, const char *isolation,
               const sent_vec *sent, const trial_vec *steps, uint32_t n_txns,
               const volatile sig_atomic_t *stop, enum trial_outcome *outcome,
               struct buf *why, struct err *err);

#endif
