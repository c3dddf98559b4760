/* watch.h -- the policies and triggers that make PostgreSQL report which rows
 * statements find and write.
 *
 * Each watched table gets one row-level security policy per command and two
 * triggers.  A policy calls a function for each row that a statement uses; the
 * function reports the version of the row as an INFO message and returns true.
 * Triggers report the rows that are written.  Everything is in schema "assay"
 * or named assay_..., and only sessions with the setting assay.record = 1
 * report.
 *
 * SPDX-License-Identifier: MIT */
#ifndef RECORD_WATCH_H
#define RECORD_WATCH_H

#include "record/plain_role.h"
#include "spec/row/watched.h"

struct record_watch {
    struct connection *admin; // borrowed
    struct watched watched;   // tables with a refusal are not watched
    VEC(const char *) oids;   // by table
    VEC(char) kinds;          // the same, as in pg_class
    struct buf unwatched;     // names of tables that are not watched, or empty
    bool has_plain_role;      // superusers can be recorded (plain_role.h)
};

/* Read the tables.  'only' names the tables to watch, separated by commas;
 * NULL: all of them.  Fails with what cannot be recorded and what to do. */
bool watch_read(struct record_watch *w, struct connection *admin,
                const char *only, struct err *err);

/* Read the tables that are watched already, by what watch_install noted. */
bool watch_read_again(struct record_watch *w, struct connection *admin,
                      const char *beginning, struct err *err);

/* Install, after a trial in a transaction that is rolled back.  'beginning'
 * gets lines of a name and a value, which assembling needs. */
bool watch_install(struct record_watch *w, struct buf *beginning,
                   struct err *err);

/* Whether the tables are still watched and were not rewritten since
 * 'beginning'; names of new tables are added to 'unwatched'. */
bool watch_check_end(struct record_watch *w, const char *beginning,
                     struct err *err);

/* Remove everything of ours from the database, whichever recording left it.
 * *found tells how many tables had something. */
bool watch_clean(struct connection *admin, size_t *found, struct err *err);

/* Keep other recordings of the database away until the connection ends. */
bool watch_claim(struct connection *admin, struct err *err);

/* Whether the statements of a user can be recorded; if not, why.  'role' has
 * PLAIN_ROLE_NAME bytes; it gets the role that the session is to have instead,
 * or "". */
bool watch_admits(struct connection *admin, const char *user, char *role,
                  char *why, size_t room);

void watch_free(struct record_watch *w);

#endif
