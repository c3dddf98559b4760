/* nemesis.h -- statements that run beside a workload, such as maintenance:
 * 'reindex index concurrently i' every second, 'vacuum' after three.
 *
 * Each statement has a thread and a connection of its own, because it may take
 * long.  What it does is not recorded.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_NEMESIS_H
#define PIPELINE_NEMESIS_H

#include "driver/driver.h"
#include "report/origin.h"
#include "server/server.h"

#include <pthread.h>

struct nemesis;

enum { NEMESIS_TIMES = 1000 }; // runs of a statement whose times are kept

struct nemesis_statement {
    const char *sql; // ends at 'n'
    size_t n;
    struct fault_time time;
    uint64_t runs, failures;       // a failure is a run that was refused
    VEC(struct report_span) times; // of the first NEMESIS_TIMES runs
    char message[256];             // of the first failure
    struct nemesis *nemesis;
    pthread_t thread;
};

struct nemesis {
    VEC(struct nemesis_statement) statements;
    struct database *db;
    uint32_t session; // the first number that no session has
    double began;     // when the run began, on the clock of time_now()
    size_t started;   // threads
    atomic_bool stop;
};

/* Add a statement, "SQL@2.5s" or "SQL@every:1s".  The text is borrowed. */
bool nemesis_add(struct nemesis *n, const char *text, struct err *err);

/* Start the threads, if there are statements and they do not run yet. */
void nemesis_start(struct nemesis *n, struct database *db, uint32_t session,
                   double began);

/* Wait for the statements that are being run, and end the threads. */
void nemesis_stop(struct nemesis *n);

void nemesis_free(struct nemesis *n);

#endif
