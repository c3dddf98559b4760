/* collect.h -- run a workload on a database and record what happens.
 *
 * SPDX-License-Identifier: MIT */
#ifndef COLLECT_COLLECT_H
#define COLLECT_COLLECT_H

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
    struct err left; // why the tables could not be removed
    struct failure_count failures[COLLECT_CODES];
    size_t n_failures;
};

struct collect_options {
    struct workload_shape shape;
    uint64_t transactions; // in all; 0 = until the time is up
    double seconds;        // 0 = until all transactions have run
    double pause;          // seconds before each operation
    bool move;             // sessions go to another node for each transaction
    double patience;       // seconds to wait for a server that is down
    bool leave_tables;     // keep the tables for inspection
    bool read_final;       // each session reads the final state at its end

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
