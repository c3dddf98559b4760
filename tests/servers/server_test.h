/* server_test.h -- what the tests that start servers share.
 *
 * A test binary starts its server once; where the server's programs are not
 * installed all tests are skipped.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_SERVERS_SERVER_TEST_H
#define TEST_SERVERS_SERVER_TEST_H

#include "test.h"
#include "trial.h"

#include "server/server.h"

/* Start a server; false, with the TAP line that says so, where it cannot. */
static inline bool
start_or_skip(const char *what, struct servers *s)
{
    struct err err = {0};
    if (servers_start(what, s, &err))
        return true;
    char text[640];
    err_format(&err, text, sizeof text);
    printf("1..0 # SKIP %s\n", text);
    return false;
}

/* Faults that happen while a trial runs: its 'self', with this 'tick'. */
struct fault_plan {
    struct servers *servers;
    fault_vec faults;
    bool failed;
};

static inline void
fault_plan_tick(void *self, const struct collect_stats *stats)
{
    struct fault_plan *p = self;
    for (size_t i = 0; i < p->faults.n; i++) {
        struct fault *f = &p->faults.at[i];
        struct err err = {0};
        if (f->is_done || stats->seconds < f->seconds)
            continue;
        f->is_done = true;
        if (!servers_fault(p->servers, f, &err)) {
            p->failed = true;
            printf("# %s\n", err.text);
        }
    }
}

#endif
