/* session_thread.h -- a session of a specification: a thread that runs one step
 * at a time.
 *
 * A second connection, the observer, asks the database whether the session
 * waits for a lock, and closes its connection if it does not return.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_SESSION_THREAD_H
#define SPEC_SESSION_THREAD_H

#include "spec/step_runner.h"

#include <pthread.h>

struct session_thread {
    struct step_runner runner;
    struct connection *observer; // NULL if no session waits for long

    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changes;     // the fields below have changed
    struct script_block *block; // to be run, or NULL,
    const char *sql;            // or this, run verbatim, not noted
    bool is_busy, is_over;
};

/* Connect and start the thread. */
bool session_thread_open(struct session_thread *a, struct database *db,
                         uint32_t session, size_t node, struct err *err);

/* Start the statements of a step, or SQL to be run verbatim.
 *
 *   require  it is not busy */
void session_thread_act(struct session_thread *a, struct script_block *block);
void session_thread_run(struct session_thread *a, const char *sql);

bool session_thread_is_busy(struct session_thread *a);

/* Wait up to that many seconds until it is not busy; return whether it is. */
bool session_thread_await(struct session_thread *a, double seconds);

enum session_thread_state { ACTOR_IDLE, ACTOR_WAITS, ACTOR_RUNS };

/* Wait up to that many seconds until it is idle or waits for a lock.  If the
 * database cannot report which session waits, a step that takes longer than
 * 'patience' counts as waiting. */
enum session_thread_state session_thread_settle(struct session_thread *a,
                                                double patience, double limit);

/* Close the connection of a busy session, and wait until it has noticed. */
bool session_thread_cut(struct session_thread *a, double limit);

/* End the thread and the connections; the notes stay.
 *
 *   require  it is not busy */
void session_thread_close(struct session_thread *a);
void session_thread_free(struct session_thread *a);

#endif
