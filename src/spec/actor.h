/* actor.h -- a session of a specification: a thread that runs one step at a
 * time.
 *
 * A second connection, the observer, asks the database whether the session
 * waits for a lock, and cuts it off when it does not come back.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ACTOR_H
#define SPEC_ACTOR_H

#include "spec/perform.h"
#include "spec/script.h"

#include <pthread.h>

struct actor {
    struct performer performer;  // its connection, and what it noted
    struct connection *observer; // NULL where no session waits for long
    bool is_implicit;            // the open transaction ends with the step
    bool is_gone;      // rolled back by the database, and not yet left
    size_t failed;     // statements that the database refused
    char failure[300]; // the last of them, and what it said

    bool has_thread;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changes;           // of what follows
    const struct script_block *block; // to be run, or NULL,
    const char *sql;                  // or this, as it is and without notes
    bool is_busy, is_over;
};

/* Connect and start the thread. */
bool actor_open(struct actor *a, struct database *db, uint32_t session,
                size_t node, struct err *err);

/* Hand it the statements of a step, or SQL to be run as it is.
 *
 *   require  it is not busy */
void actor_act(struct actor *a, const struct script_block *block);
void actor_run(struct actor *a, const char *sql);

bool actor_is_busy(struct actor *a);

/* Wait until it is not busy, for so many seconds at most; return whether. */
bool actor_await(struct actor *a, double seconds);

enum actor_state { ACTOR_IDLE, ACTOR_WAITS, ACTOR_RUNS };

/* Wait until it is idle or waits for a lock, for so many seconds at most.
 * Where the database cannot say which session waits, a step that takes longer
 * than 'patience' does. */
enum actor_state actor_settle(struct actor *a, double patience, double limit);

/* Cut off a session that is busy, and wait for it to notice. */
bool actor_cut(struct actor *a, double limit);

/* Roll back what is still open.
 *
 *   require  it is not busy */
void actor_rest(struct actor *a);

/* End thread and connections; what was noted stays.
 *
 *   require  it is not busy */
void actor_close(struct actor *a);
void actor_free(struct actor *a);

#endif
