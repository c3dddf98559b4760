/* predict_validate.h -- predictions tried on the program that was observed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CLI_PREDICT_VALIDATE_H
#define CLI_PREDICT_VALIDATE_H

#include "cli/options.h"
#include "driver/driver.h"
#include "predict/predict.h"
#include "replay/replay.h"

/* How to try them. */
struct validation {
    struct replay_program program;
    enum level level;
    const char *target; // the database that was observed, or NULL
    bool on_database;   // it can be driven in lock step
    const char *setup;  // SQL for each connection, or NULL
};

/* What came of it, by prediction. */
struct validated {
    struct replay *on_store;
    struct replay *on_database; // NULL: not tried
    size_t n;
    char database[128]; // what is running there
    enum driver_isolation isolation;
};

/* Understand the options. */
bool predict_validate_options(const struct options *o, struct validation *v,
                              struct err *err);

/* For predict(): whether the program does what is predicted on the store (1),
 * and the database has a schedule for it as well (2); self is a struct
 * validation. */
unsigned predict_validate_accept(void *self, const struct execution *x);

/* Try every prediction, on the store and on the database. */
bool predict_validate_all(const struct validation *v,
                          const struct prediction *p, struct validated *out,
                          struct err *err);
void predict_validate_free(struct validated *v);

#endif
