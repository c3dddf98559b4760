/* executor.h -- who starts the workers of a campaign.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CAMPAIGN_EXECUTOR_H
#define CAMPAIGN_EXECUTOR_H

#include "base/err.h"

#include <signal.h>

struct executor_request {
    const char *directory;     // of the campaign
    const char *const *worker; // the command line of a worker, to NULL
    unsigned workers;          // how many
    const volatile sig_atomic_t *interrupted;
};

struct executor {
    const char *name, *help;
    /* Start the workers and wait until they have ended.  An interrupt is passed
     * on.  False if they cannot be started. */
    bool (*run)(const struct executor_request *q, struct err *err);
};

// local, parallel, slurm; ends with a row without a name.
extern const struct executor executor_table[];

const struct executor *executor_find(const char *name);

#endif
