/* play.h -- playing a specification on a database.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_PLAY_H
#define SPEC_PLAY_H

#include "driver/driver.h"
#include "spec/spec.h"

struct play_options {
    // Seconds after which a step counts as waiting, where the database does
    // not tell who waits.
    double patience;
};

struct played {
    bool is_possible; // no step had to come while its session was waiting
    size_t waited;    // steps that had to wait for another session
    size_t committed, aborted;
};

/* Run the steps in that order, with the tables made anew, and write the
 * history to path.  Where a session that waits would have to go on, the rest
 * is left out.
 *
 * The initial values of the history are those that the setup wrote, or, where
 * a session wrote such a value again, the setup is a transaction of its own. */
bool spec_play(const struct spec *s, struct database *db, const u32_vec *order,
               const struct play_options *o, const char *path,
               struct played *out, struct err *err);

#endif
