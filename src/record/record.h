/* record.h -- record an application on PostgreSQL, from a proxy to a history.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/err.h"
#include "record/assemble.h"

#include <signal.h>

struct record_options {
    const char *target;         // postgresql://...
    const char *listen;         // [ADDRESS:]PORT
    const char *output;         // the history
    const char *tables;         // separated by commas; NULL: all
    bool at_once;               // for prediction (assemble.h)
    const char *const *command; // ends with NULL; NULL: none
    /* A client instead of a command: it runs in a process of its own, whose
     * status is the result.  NULL: none. */
    int (*client)(void *self, const char *host, unsigned port,
                  const char *database);
    const volatile sig_atomic_t *stop;

    /* Called when clients can connect. */
    void (*ready)(void *self, const char *host, unsigned port);
    void *self;
};

struct record_result {
    struct assembled history;
    int status;    // of the command, as waitpid says; 0 if there is none
    size_t others; // connections to other databases, which were not recorded
};

/* Watch the tables, serve clients, undo, and write the history.  The raw log
 * is OUTPUT.raw; it is removed at the end unless assembling fails. */
bool record_run(const struct record_options *o, struct record_result *out,
                struct err *err);

/* The last part of it, from a log that a killed recording left behind. */
bool record_assemble(const struct record_options *o, const char *raw,
                     struct record_result *out, struct err *err);

/* Remove what a killed recording left in the database; *found tells how many
 * tables had something. */
bool record_clean(const char *target, size_t *found, struct err *err);

#endif
