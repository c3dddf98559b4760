/* worker.h -- a worker takes runs of a campaign until none is left.
 *
 * A run is a child process, 'assay test', in its own session, with a temporary
 * directory that a guard removes (server/guard.h).  So whatever ends a worker
 * ends its run, the servers of that run, and their files:
 *
 *   - the worker alone is killed: the guard ends the run;
 *   - the worker is asked to stop: it stops the run, and leaves the claim;
 *   - all processes are killed, as by a cgroup: the next worker on this machine
 *     removes the files (directory_join).
 *
 * SPDX-License-Identifier: MIT */
#ifndef CAMPAIGN_WORKER_H
#define CAMPAIGN_WORKER_H

#include "campaign/directory.h"
#include "campaign/outcome.h"

#include <signal.h>

struct worker_options {
    const char *program; // the path of this program
    double budget;       // seconds, after which no run begins; 0: none
    double each;         // seconds of a run, after which it is ended
    bool shrink;         // look for the smallest script of each finding
    const volatile sig_atomic_t *interrupted;
    void *self;
    /* A run is over; may be NULL. */
    void (*ended)(void *self, size_t run, const struct run_outcome *o);
};

/* Run what is left.  A run that another worker has is waited for: it is taken
 * over if that worker ends.  False if the directory cannot be used. */
bool worker_run(struct directory *d, const struct worker_options *o,
                struct err *err);

#endif
