/* observe.h -- runs of applications on the built-in store, to predict from.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TEST_REPLAY_OBSERVE_H
#define TEST_REPLAY_OBSERVE_H

#include "test.h"

#include "collect/collect.h"
#include "format/format.h"
#include "predict/predict.h"
#include "replay/replay.h"

#include <stdlib.h>
#include <unistd.h>

/* Run an application serializably and read what was recorded. */
static inline bool
observe(const struct replay_program *p, uint64_t transactions,
        struct history *out)
{
    char path[] = "/tmp/assay-observed-XXXXXX";
    struct err err = {0};
    struct database db;
    struct collect_stats stats;
    const struct collect_options o = {.shape = {.app = p->app,
                                                .sessions = p->sessions,
                                                .keys = p->units,
                                                .seed = p->seed},
                                      .transactions = transactions,
                                      .patience = 10};
    const int fd = mkstemp(path);
    bool ok = fd >= 0 && close(fd) == 0 &&
              database_open("store:ser", ISOLATION_UNCHANGED, NULL, &db, &err);
    if (ok) {
        ok = collect_run(&db, &o, path, &stats, &err) &&
             format_read(path, "jsonl", 1, out, NULL, &err);
        database_close(&db);
    }
    if (!ok)
        printf("# %s\n", err.text);
    unlink(path);
    return ok;
}

/* The same application as an observed program. */
static inline struct replay_program
program_of(const struct app *app, uint64_t sessions, uint64_t seed)
{
    return (struct replay_program){
        .app = app, .seed = seed, .sessions = sessions, .units = app->units};
}

#endif
