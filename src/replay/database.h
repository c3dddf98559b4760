/* database.h -- does a real database let the program do what was predicted?
 *
 * The application runs again with the same seed, its sessions in lock step, by
 * a schedule in which every read finds the version that was predicted
 * (schedule.h).  A session that has to wait for a lock lets the others go
 * first.  What happened is recorded and checked like any other history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef REPLAY_DATABASE_H
#define REPLAY_DATABASE_H

#include "driver/driver.h"
#include "replay/replay.h"

/* Whether the database at a target can be asked who waits for a lock; others
 * cannot be driven in lock step. */
bool replay_is_possible_on(const char *target);

/* What a database is asked for where the level is to be tried. */
enum driver_isolation replay_isolation(enum level level);

/* Whether there is a schedule, and no two transactions in it write the same row
 * at the same time where that is refused. */
bool replay_has_schedule(const struct execution *x, enum level level);

/* By key of h, the row it is in, to be freed; NULL where h is of no program
 * with tables. */
uint32_t *replay_rows(const struct history *h);

/* Run the program on db, which was opened with replay_isolation(level) and has
 * no tables yet.  Fails where the database cannot be used. */
bool replay_on_database(const struct execution *x,
                        const struct replay_program *program, enum level level,
                        struct database *db, struct replay *out,
                        struct err *err);

#endif
