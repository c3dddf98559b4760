/* player.h -- a session of a program that runs again on a database, in a thread
 * of its own, one access at a time.
 *
 *   (A1) a player that is not busy makes no access: it has not begun its next
 *        transaction, or stands before an access that was not granted;
 *   (A2) only one player is given something to do at a time; others may still
 * be busy because they wait for a lock.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPLAY_PLAYER_H
#define REPLAY_PLAYER_H

#include "collect/job.h"
#include "history/builder/builder.h"
#include "replay/replay.h"

#include <pthread.h>

/* What all players share. */
struct server_replay {
    const struct execution *x;
    const struct observed *o;
    struct rerun rerun;
    struct job_tables tables;
    struct database *db;
    bool takes_snapshots; // at the beginning of a transaction
    struct replay *out;

    pthread_mutex_t lock;   // of what follows
    pthread_cond_t changes; // a session becomes busy or free
    bool is_over;           // no more accesses
    bool has_failed;        // a transaction did not commit
    struct builder *builder;
    struct err err; // of the builder
};

struct noted_op {
    bool is_write, is_null;
    char key[RERUN_KEY], value[RERUN_VALUE];
};

struct player {
    struct server_replay *shared;
    uint32_t session; // dense
    struct connection *connection;
    pthread_t thread;
    bool has_thread;

    bool is_busy; // by the replay's lock
    uint32_t txn; // of the execution, the next or current one; OBS_NONE
    uint32_t granted;

    // The rest is its own.
    struct rerun_txn run;
    uint32_t made; // accesses
    uint32_t read; // the next external read of the execution
    enum outcome outcome;
    VEC(struct noted_op) ops;
};

bool player_start(struct player *a, struct server_replay *shared,
                  uint32_t session, struct err *err);

/* Let it begin a transaction, or go on until it has made so many accesses.
 * Nothing happens where it is in another transaction.
 *
 *   require  it is not busy */
void player_begin(struct player *a, uint32_t txn);
void player_go_on(struct player *a, uint32_t txn, uint32_t accesses);

bool player_is_busy(struct player *a);

/* Wait until it is not busy, for so many seconds at most; return whether. */
bool player_await(struct player *a, double seconds);

/* Join the thread and disconnect.
 *
 *   require  the replay is over, and it is not busy */
void player_end(struct player *a);

#endif
