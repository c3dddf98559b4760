/* session.h -- one session of a run: a thread that runs transactions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_SESSION_H
#define COLLECT_SESSION_H

#include "collect/collect.h"
#include "collect/job.h"
#include "collect/journal.h"
#include "collect/operation.h"
#include "collect/pair.h"
#include "format/jsonl/jsonl_record.h"

#include <pthread.h>
#include <stdatomic.h>

/* What all sessions share. */
struct collect_run {
    struct database *db;
    const struct collect_options *o;
    struct journal *journals; // one, or one per session; NULL: none
    struct job_tables tables; // the tables of an application
    struct pair *pairs;       // of sessions; NULL: none
    double began;             // by the clock of time_now
    atomic_bool stop;
    atomic_bool is_cut;    // the server does not answer; connections are closed
    atomic_size_t running; // sessions that have not ended
    atomic_uint_fast64_t final_steps; // reads of the final state
    pthread_mutex_t lock;             // for the fields below
    pthread_cond_t opens;             // 'is_open' becomes true
    bool is_open;                     // all threads are ready
    struct collect_stats stats;
    struct err err; // the first error of any session
};

struct session {
    struct collect_run *run;
    uint32_t number;
    size_t node;
    struct connection **connections; // one per node, NULL if not yet
    bool is_cut_off;                 // a connection was lost
    struct workload workload;
    uint64_t txns; // transactions so far
    struct jsonl_record record;
    struct journal *journal; // NULL: none
    struct buf place;        // JSON: where the transaction was run
    int64_t began;           // when the transaction began
    bool is_pending;         // it is recorded, but not its outcome
    step_vec steps;
    bool rolls_back; // the transaction at its end
    struct operation_state operations;
    struct pair *pair;                              // NULL: it is alone
    bool has_committed;                             // the last transaction
    uint64_t done[STEP_KINDS], refused[STEP_KINDS]; // as in collect_stats
    bool is_final; // it reads the final state; 'steps' are set
};

bool session_open(struct session *s, struct collect_run *run, uint32_t number,
                  struct err *err);
void session_close(struct session *s);

/* The function of the thread; 'arg' is a session. */
void *session_run(void *arg);

#endif
