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

/* A partition, of any depth. */
struct watch_part {
    uint32_t oid, table; // the partitioned table at the top
    const char *name;
    bool has_rows; // it is not partitioned itself
};

/* A table that was watched and is not known whole: its rows are left out. */
struct watch_lost {
    uint32_t oid;
    const char *why; // with its name
};

struct record_watch {
    struct connection *admin; // borrowed
    struct watched watched;   // tables with a refusal are not watched
    VEC(const char *) oids;   // by table
    VEC(char) kinds;          // the same, as in pg_class
    VEC(struct watch_part) parts;
    VEC(struct watch_lost) lost; // found at the end
    struct buf unwatched; // names of tables that are not watched, or empty
    char schema[40];      // of the functions
    const char *text;     // SQL, if only tables of a setup are watched
    bool has_plain_role;  // superusers can be recorded (plain_role.h)
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

/* Take what watch_install noted in a recording that is over. */
void watch_take_beginning(struct record_watch *w, struct connection *admin,
                          const char *beginning);

/* Install, after a trial in a transaction that is rolled back.  'beginning'
 * gets lines of a name and a value, which assembling needs. */
bool watch_install(struct record_watch *w, struct buf *beginning,
                   struct err *err);

/* Read the tables again, at the end: those that are watched still, by what was
 * noted at the beginning and reported since; the others are 'lost', and names
 * of tables that were never watched are added to 'unwatched'. */
struct table_reports;
bool watch_read_end(struct record_watch *w, const char *beginning,
                    const struct table_reports *reports, struct err *err);

/* Leave out a table. */
void watch_lose(struct record_watch *w, const struct table_reports *reports,
                uint32_t oid, const char *why);

/* The table of an object id, which may be that of a partition, or
 * WATCHED_NONE. */
uint32_t watch_table(const struct record_watch *w, uint32_t oid);

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

/* Read the object ids of the tables. */
bool watch_read_oids(struct record_watch *w, struct err *err);

void watch_free(struct record_watch *w);

#endif
