/* actor.h -- a session of a specification: a thread that runs one step at a
 * time and notes what its transactions read and wrote.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_ACTOR_H
#define SPEC_ACTOR_H

#include "driver/driver.h"
#include "history/history.h"
#include "spec/statement.h"

#include <pthread.h>

struct played_op {
    bool is_write;
    const char *key;   // "table:primary key:column"
    const char *value; // NULL: none
};

struct played_txn {
    enum txn_status status;
    double began, ended;
    VEC(struct played_op) ops;
};

struct actor {
    const table_vec *tables; // borrowed
    struct connection *connection;
    struct connection *observer; // asks whether it waits; NULL where nobody
                                 // can say
    struct arena arena;          // of everything noted
    VEC(struct played_txn) txns;
    bool is_open; // the last of them has not ended
    bool is_gone; // rolled back by the database, and nothing begun since

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changes; // of the next three
    const char *sql;        // to be run, or NULL
    bool is_busy, is_over;
};

/* Connect and start the thread. */
bool actor_open(struct actor *a, struct database *db, uint32_t session,
                size_t node, const table_vec *tables, struct err *err);

/* Hand it a step.
 *
 *   require  it is not busy */
void actor_act(struct actor *a, const char *sql);

/* Wait until it is not busy, for so many seconds at most; return whether. */
bool actor_await(struct actor *a, double seconds);

/* Wait until it is not busy or waits for a lock, and return whether it is not
 * busy.  Where the database does not tell who waits, a step that takes longer
 * than that many seconds does. */
bool actor_settle(struct actor *a, double patience);

/* Roll back what is still open.
 *
 *   require  it is not busy */
void actor_rest(struct actor *a);

/* End thread and connection; what was noted stays. */
void actor_close(struct actor *a);
void actor_free(struct actor *a);

#endif
