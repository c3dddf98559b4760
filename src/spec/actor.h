/* actor.h -- a session of a specification: a thread that runs one step at a
 * time.
 *
 * A second connection, the observer, asks the database whether the session
 * waits for a lock, and closes its connection if it does not return.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ACTOR_H
#define SPEC_ACTOR_H

#include "spec/perform.h"
#include "spec/script.h"

#include <pthread.h>

struct actor {
    struct performer performer;  // its connection, and what it noted
    struct connection *observer; // NULL if no session waits for long
    bool is_implicit;            // the open transaction ends with the step
    bool is_gone;      // rolled back by the database, not yet by the script
    size_t failed;     // statements that the database refused
    char failure[300]; // the last of them, with the database's message

    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changes;           // the fields below have changed
    const struct script_block *block; // to be run, or NULL,
    const char *sql;                  // or this, run verbatim, not noted
    bool is_busy, is_over;
};

/* Connect and start the thread. */
bool actor_open(struct actor *a, struct database *db, uint32_t session,
                size_t node, struct err *err);

/* Start the statements of a step, or SQL to be run verbatim.
 *
 *   require  it is not busy */
void actor_act(struct actor *a, const struct script_block *block);
void actor_run(struct actor *a, const char *sql);

bool actor_is_busy(struct actor *a);

/* Wait up to that many seconds until it is not busy; return whether it is. */
bool actor_await(struct actor *a, double seconds);

enum actor_state { ACTOR_IDLE, ACTOR_WAITS, ACTOR_RUNS };

/* Wait up to that many seconds until it is idle or waits for a lock.  If the
 * database cannot report which session waits, a step that takes longer than
 * 'patience' counts as waiting. */
enum actor_state actor_settle(struct actor *a, double patience, double limit);

/* Close the connection of a busy session, and wait until it has noticed. */
bool actor_cut(struct actor *a, double limit);

/* Roll back what is still open.
 *
 *   require  it is not busy */
void actor_rest(struct actor *a);

/* End the thread and the connections; the notes stay.
 *
 *   require  it is not busy */
void actor_close(struct actor *a);
void actor_free(struct actor *a);

#endif
