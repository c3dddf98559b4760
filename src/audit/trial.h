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

/* From what counts least to what counts most. */
enum trial_outcome {
    TRIAL_NOT_RUN,
    TRIAL_PREVENTED, // the database refused it, or it changes nothing
    TRIAL_DIVERGED,  // a statement failed or found other rows
    TRIAL_NOT_SHOWN, // whether the outcome is serializable is not known
    TRIAL_IF,        // it is not, if the application goes on as recorded
    TRIAL_SHOWN,     // the outcome is not serializable
};

extern const char *const trial_names[]; // "shown"

/* Statements from .. to - 1 of a transaction. */
struct trial_step {
    uint32_t txn; // of the prediction
    uint32_t from, to;
};

typedef VEC(struct trial_step) trial_vec;

struct trial {
    uint32_t n; // transactions of the prediction
    sent_vec *sent;
    const char **isolation; // in SQL
    trial_vec steps;

    enum trial_outcome outcome;
    struct buf why;    // it is not SHOWN; or empty
    bool is_adapted;   // statements send what they check (version_check.h)
    struct buf waited; // a statement that waited, so the order was changed
    u32_vec *found;    // by transaction: rows that each statement found
};

/* The steps of a prediction.  A transaction that was one statement is put
 * between BEGIN and COMMIT. */
void trial_init(struct trial *t, const struct prediction *all,
                const struct predicted *p, const struct moments *m,
                const struct database_level *on, struct arena *arena);
void trial_free(struct trial *t);

/* The value that a key has by this writer, as text. */
void trial_value(const struct observed *o, key_id k, uint32_t writer,
                 struct buf *out);

/* Run it.  Fails only if the state cannot be restored or the outcome cannot be
 * read. */
bool trial_run(struct trial *t, struct base_state *base, const char *file,
               const volatile sig_atomic_t *stop, struct err *err);

/* trial_client.c: the client of the proxy that sends the steps, in its own
 * process.  A statement that fails goes to the pipe 'report' as the number of
 * its step, its SQLSTATE and a text, each behind a tab. */
struct trial_client {
    const struct trial *trial;
    const char *target;
    int report;
};

int trial_client_run(void *self, const char *host, unsigned port,
                     const char *database);

#endif
