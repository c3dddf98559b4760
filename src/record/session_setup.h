/* session_setup.h -- what makes a session as it was when a statement ran: the
 * settings that it began with, those that it has set since, and the statements
 * that it has prepared.
 *
 * Its own statements are used as they were sent.  Where their effect is not
 * certain, the setup is unknown, and statements of the session are not run
 * again.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_SESSION_SETUP_H
#define RECORD_SESSION_SETUP_H

#include "record/assembly.h"

struct setup_text {
    const char *sql;
    bool is_local; // to its transaction
};

struct session_setup {
    struct assembly *a;
    const struct recorded_session *session;
    VEC(struct session_parameter) startup;
    VEC(struct setup_text) sets;
    text_vec prepared;
    size_t before; // of 'sets', those of earlier transactions
    bool is_unknown;
};

void session_setup_open(struct session_setup *s, struct assembly *a,
                        const struct recorded_session *session);
void session_setup_close(struct session_setup *s);

/* A run of the session is over; a transaction is. */
void session_setup_add(struct session_setup *s, const struct recorded_run *run);
void session_setup_end(struct session_setup *s, bool has_committed);

/* SQL that makes the role and the settings, for the transaction. */
void session_setup_put(const struct session_setup *s, struct buf *out);

/* The PREPARE of the statement that an EXECUTE names, or NULL. */
const char *session_setup_prepared(const struct session_setup *s,
                                   const char *execute);

#endif
