/* collect.h -- run a workload on a database and record what happens.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_COLLECT_H
#define COLLECT_COLLECT_H

#include "collect/findings.h"
#include "collect/workload.h"
#include "driver/driver.h"

#include <signal.h>

enum { COLLECT_CODES = 16 }; // kinds of failures that are counted separately

/* Why transactions did not commit.  The last rows are for all further reasons,
 * so that the sums are those of the transactions. */
struct failure_count {
    bool is_unknown; // else they were aborted
    char code[DRIVER_CODE];
    char message[256]; // the message of the first one
    uint64_t n;
};

struct collect_stats {
    double seconds;
    uint64_t committed, aborted, unknown;
    uint64_t operations, writes; // in all transactions
    uint64_t reconnects;
    uint64_t cut;    // connections that were closed after 'grace'
    struct err left; // why the tables could not be removed
    struct failure_count failures[COLLECT_CODES];
    size_t n_failures;
    struct run_findings findings;
    uint64_t writers; // transactions with writes that were committed
    // By kind: steps that succeeded, and those that were refused as errors of
    // syntax or permission.
    uint64_t steps_done[STEP_KINDS], steps_refused[STEP_KINDS];
};

/* What came of one pass of a session through a script. */
struct collect_pass {
    uint64_t committed, aborted, unknown; // at most one that did not commit
    uint64_t operations, writes;
    bool is_rolled_back; // by the script
    bool is_lost;        // the connection
};

/* A workload that makes its own tables and keeps its own record, of statements
 * that are not ours.  Functions that fail say why. */
struct collect_source {
    void *self;
    /* Make the tables.  The history will be in 'path'; NULL if only the time
     * matters. */
    bool (*load)(void *self, struct database *db, const char *path,
                 struct err *err);
    /* Run some transactions; called by the thread of the session. */
    bool (*run)(void *self, uint32_t session, struct connection *c,
                struct collect_pass *out, struct err *err);
    /* Write the history, after all sessions have ended. */
    bool (*write)(void *self, struct database *db, const char *path,
                  struct err *err);
    /* Remove what 'load' has made; called in any case. */
    void (*unload)(void *self, struct database *db);
};

struct collect_options {
    struct workload_shape shape;
    const struct collect_source *source; // instead of the shape's; or NULL
    uint64_t transactions;               // in all; 0 = until the time is up
    double seconds;                      // 0 = until all transactions have run
    double pause;                        // seconds before each operation
    bool move;         // sessions go to another node for each transaction
    double patience;   // seconds to wait for a server that is down
    double grace;      // seconds to wait for sessions when the run is over
                       // and nothing happens; 0: any time
    bool leave_tables; // keep the tables for inspection
    bool read_final;   // each session reads the final state at its end
    bool shards;       // the path is a directory, with a file per session

    /* Called every tenth of a second or so, from the calling thread. */
    void (*tick)(void *self, const struct collect_stats *stats);
    /* Called when all sessions have ended, before the tables are removed. */
    void (*ended)(void *self);
    void *self;
    // A flag that a signal handler sets to end the run early; or NULL.
    const volatile sig_atomic_t *interrupted;
};

/* Make the tables, run one thread per session, write the history to path, and
 * remove the tables.  Without a path (NULL) nothing is recorded, for measuring.
 * Fails if the database cannot be used at all or the history cannot be
 * written.  What was recorded until then is a valid history; it lacks the last
 * line and thus counts as truncated. */
bool collect_run(struct database *db, const struct collect_options *o,
                 const char *path, struct collect_stats *stats,
                 struct err *err);

#endif
