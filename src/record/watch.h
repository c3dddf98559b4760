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
    char schema[40];          // of the functions
    const char *text;         // SQL, if only tables of a setup are watched
    bool has_plain_role;      // superusers can be recorded (plain_role.h)
};

/* Read the tables.  'only' names the tables to watch, separated by commas;
 * NULL: all of them.  Fails with what cannot be recorded and what to do. */
bool watch_read(struct record_watch *w, struct connection *admin,
                const char *only, struct err *err);

/* The tables that a setup has made, which are the only ones to be watched. */
struct watch_made {
    const struct watched *made;
    const char *text;   // all SQL that runs
    const char *schema; // where the functions are
    const char *owner;  // of views that a superuser made; "": leave them
};

/* Read these tables.  Those that cannot be watched, and others that the text
 * names, are 'unwatched'. */
bool watch_read_made(struct record_watch *w, struct connection *admin,
                     const struct watch_made *m, struct err *err);

/* Make the functions in a schema of their own, for watch_install_tables, which
 * makes the policies and triggers. */
bool watch_make_functions(struct connection *admin, const char *schema,
                          struct err *err);
bool watch_install_tables(struct record_watch *w, struct buf *beginning,
                          struct err *err);

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

/* Keep other recordings of the database away until the connection ends; those
 * of setups ('is_shared') only keep away the others. */
bool watch_claim(struct connection *admin, bool is_shared, struct err *err);

/* Whether the statements of a user can be recorded; if not, why.  'role' has
 * PLAIN_ROLE_NAME bytes; it gets the role that the session is to have instead,
 * or "". */
bool watch_admits(struct connection *admin, const char *user, char *role,
                  char *why, size_t room);

void watch_free(struct record_watch *w);

#endif
