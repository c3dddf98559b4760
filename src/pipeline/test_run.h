/* test_run.h -- a workload on a database: start servers, run, record, inflict
 * faults, stop.
 *
 * 'assay test' and 'assay collect' are this, and an inspection of what was
 * recorded (inspection.h):
 *
 *     test_run_begin   starts the servers that are named
 *     test_run_record  runs the workload and writes its history to a file
 *     test_run_end     stops the servers
 *
 * Nothing here prints or handles signals.  To end a run early, set the flag
 * that options->collect.interrupted points to; what was recorded
 * until then is a history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PIPELINE_TEST_RUN_H
#define PIPELINE_TEST_RUN_H

#include "collect/collect.h"
#include "driver/describe.h"
#include "pipeline/nemesis.h"
#include "pipeline/recorder.h"
#include "report/origin.h"
#include "server/server.h"
#include "spec/workload/sql_workload.h"

/* Callbacks, each of which may be NULL. */
struct test_run_observer {
    void *self;
    /* Servers are about to be started. */
    void (*starting)(void *self, const char *what);
    /* Called now and then while the sessions run. */
    void (*progress)(void *self, const struct collect_stats *stats);
    /* A fault could not be inflicted; the run goes on. */
    void (*fault_failed)(void *self, const struct err *err);
    /* Something is not recorded of a statement of the user's. */
    void (*left_out)(void *self, const struct err *what);
};

enum { TEST_RUN_PRODUCT = 24 };

struct test_run_options {
    const char *target; // an address; NULL where servers are started
    const char *start;  // servers to start, "galera:3", or NULL
    const char *faults; // "kill@2,stop:3@4.5" for these servers, or NULL
    const char *const *nemesis; // statements with times, see nemesis.h
    size_t n_nemesis;
    struct session_setups setups;
    const char *scripts;         // files of SQL as the workload, or NULL
    const char *schema;          // the file that makes their tables
    enum recorder_kind recorder; // of these statements
    const char *index; // the kind of a second index on the keys, or NULL
    enum driver_isolation isolation;
    struct isolation_mix mix;       // instead of 'isolation', if it has any
    struct collect_options collect; // without tick
    struct test_run_observer observer;
};

struct test_run {
    struct test_run_options options;
    const char *target;
    bool has_servers;
    struct servers servers;
    fault_vec faults;
    VEC(struct report_fault) inflicted;
    struct nemesis nemesis;
    struct sql_workload sql;   // if there are scripts
    struct database *database; // while the workload runs
    struct database_facts facts;
    size_t nodes;   // of the database
    char note[128]; // what the database says it is
    char name[256]; // what to call its histories: the target, no password
    struct collect_stats stats;
};

/* What a target or a server to start is, the scheme of a driver where it is
 * known by one: "mariadb" of "galera:3". */
void test_run_product(const char *place, char out[TEST_RUN_PRODUCT]);

/* Start the servers.  On failure there is nothing to end. */
bool test_run_begin(const struct test_run_options *o, struct test_run *t,
                    struct err *err);

/* Run the workload and write its history to path; NULL: nowhere. */
bool test_run_record(struct test_run *t, const char *path, struct err *err);

/* Stop the servers. */
void test_run_end(struct test_run *t);

#endif
