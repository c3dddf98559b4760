/* scripted.h -- record the sessions of a specification or of a workload on
 * PostgreSQL, as the proxy records those of an application.
 *
 * The driver passes on what a session and its server say to each other
 * (driver.h, driver_tap).  It goes to the raw log that the proxy writes, and
 * becomes a history in the same way (assemble.h).
 *
 * Row security does not apply to superusers.  Where the target's user is one,
 * the sessions become a plain role that is made for the run and is a member of
 * this user.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_SCRIPTED_H
#define RECORD_SCRIPTED_H

#include "driver/driver.h"
#include "spec/spec_recorder.h"

struct scripted;

/* Make the role and the functions.  'text' is all SQL that will run; only
 * tables that it names can matter.  It and 'left_out', which gets a line for
 * each thing that is not recorded, once, are borrowed. */
struct scripted_options {
    struct database *db;
    const char *text;
    bool hides_numbers; // of the statements in these lines: they have variables
    void *self;
    void (*left_out)(void *self, const struct err *what);
};

bool scripted_open(const struct scripted_options *o, struct scripted **out,
                   struct err *err);

/* The recorder; it lives as long as 's'. */
const struct spec_recorder *scripted_recorder(struct scripted *s);

/* Remove everything.  The tables are gone by now. */
void scripted_close(struct scripted *s);

/* Whether a target can be recorded so: one node of PostgreSQL itself. */
bool scripted_records(struct database *db);

#endif
