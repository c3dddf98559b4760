/* interleave.h -- run an interleaving of a specification on a database.
 *
 * SPDX-License-Identifier: MIT */
#ifndef SPEC_INTERLEAVE_H
#define SPEC_INTERLEAVE_H

#include "collect/findings.h"
#include "driver/driver.h"
#include "spec/script.h"
#include "spec/spec_recorder.h"

struct interleave_options {
    // Seconds after which a step counts as waiting, if the database cannot
    // report which session waits.
    double patience;
    // Seconds after which a step that waits for no other session is ended.
    double limit;
    // Takes the statements as they are, if the script is of that kind.
    const struct spec_recorder *recorder;
};

struct interleaved {
    bool is_possible;  // no step came while its session was waiting
    char refusal[420]; // why there is no history; "" if there is one
    size_t waited;     // steps that had to wait for another session
    size_t committed, aborted;
    size_t failed;     // statements that the database refused
    char failure[300]; // the last of them
    struct run_findings findings;
};

/* Make the tables, run the steps in that order, and write the history to path
 * (spec/spec_history.h).  If a session has to take a step while it waits, the
 * interleaving is not possible, and the rest is left out.  There is no history
 * if the interleaving is not possible or is refused. */
bool interleave_run(struct script *s, struct database *db, const u32_vec *order,
                    const struct interleave_options *o, const char *path,
                    struct interleaved *out, struct err *err);

#endif
