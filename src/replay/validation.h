/* validation.h -- try predictions on the program that was observed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPLAY_VALIDATION_H
#define REPLAY_VALIDATION_H

#include "driver/driver.h"
#include "predict/predict.h"
#include "replay/replay.h"

/* How to try them. */
struct validation {
    struct replay_program program;
    enum level level;
    const char *target; // the database that was observed, or NULL
    bool on_database;   // its sessions can be driven in lock step
    struct session_setups setups;
};

/* The results, by prediction. */
struct validated {
    struct replay *on_store;
    struct replay *on_database; // NULL: not tried
    size_t n;
    char database[128]; // product and version of the database
    enum driver_isolation isolation;
};

/* For predict(): 1 if the program behaves as predicted on the store, 2 if the
 * database also has a schedule for it; self is a struct validation. */
unsigned validation_accept(void *self, const struct execution *x);

/* Try every prediction, on the store and on the database. */
bool validation_all(const struct validation *v, const struct prediction *p,
                    struct validated *out, struct err *err);
/* The answer when all is tried: what the database shows is found. */
enum predict_answer validation_answer(const struct prediction *p,
                                      const struct validated *v);
void validation_free(struct validated *v);

#endif
